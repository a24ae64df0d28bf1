# The libraries, each shared and static: libconehull from the folders of Algorithm 1, its baselines and what they rest on;
# libconehull_io, libconehull_video, libconehull_text, libconehull_spectra and libconehull_mpi from the folders of their names.
#
# A shared library exports ch_ names under the version of its series. Names that begin with chi_ are between our libraries:
# where another of them needs one, its declaration says CHI_SHARED (src/base/shared.h), and it is exported under a version
# that names this very release. So libraries of two releases, whose inner structures may differ, are refused when they are
# loaded, with the name of both (tests/e2e/install/mixed_versions).
#
# The soname is what tests/e2e/install/check_abi calls a series: before 1.0 a minor version may break the ABI.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(CH_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
else()
  set(CH_SOVERSION ${PROJECT_VERSION_MAJOR})
endif()

set(CH_SYMBOLS ${CMAKE_BINARY_DIR}/conehull.map)
configure_file(cmake/conehull.map.in ${CH_SYMBOLS} @ONLY)

# ch_library(FILE EXPORTED SONAME objects...): targets FILE_shared and FILE_static, installed as
# conehull::EXPORTED and conehull::EXPORTED_static.
function(ch_library name exported soversion)
  add_library(${name}_shared SHARED ${ARGN})
  add_library(${name}_static STATIC ${ARGN})
  set_target_properties(${name}_shared PROPERTIES EXPORT_NAME ${exported})
  set_target_properties(${name}_static PROPERTIES EXPORT_NAME ${exported}_static)
  target_link_options(${name}_shared PRIVATE -Wl,--version-script=${CH_SYMBOLS})
  if(NOT CONEHULL_SANITIZERS) # clang leaves the names of a sanitizer to the program
    target_link_options(${name}_shared PRIVATE -Wl,-z,defs)
  endif()
  set_target_properties(${name}_shared PROPERTIES LINK_DEPENDS ${CH_SYMBOLS})
  foreach(kind shared static)
    set(target ${name}_${kind})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C
      VERSION ${PROJECT_VERSION} SOVERSION ${soversion})
    target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    if(exported STREQUAL mpi) # asked for by name: finding conehull must not mean finding MPI
      install(TARGETS ${target} EXPORT conehull-mpi COMPONENT mpi)
    else()
      install(TARGETS ${target} EXPORT conehull-${kind}
              LIBRARY COMPONENT library NAMELINK_COMPONENT development
              ARCHIVE COMPONENT development)
    endif()
  endforeach()
endfunction()

ch_library(conehull conehull ${CH_SOVERSION} ${core_objects})
ch_library(conehull_io io ${CH_SOVERSION} ${io_objects})
# Experimental: programs are for one version.
ch_library(conehull_video video ${PROJECT_VERSION} ${video_objects})
ch_library(conehull_text text ${PROJECT_VERSION} ${text_objects})
ch_library(conehull_spectra spectra ${PROJECT_VERSION} ${spectra_objects})
foreach(kind shared static)
  target_link_libraries(conehull_${kind} PRIVATE Threads::Threads LAPACK::LAPACK BLAS::BLAS m)
  target_link_libraries(conehull_io_${kind} PUBLIC conehull_${kind} PRIVATE ${CH_IO_LIBRARIES} m)
  target_link_libraries(conehull_video_${kind} PUBLIC conehull_${kind} PRIVATE Threads::Threads m)
  target_link_libraries(conehull_spectra_${kind} PUBLIC conehull_${kind} PRIVATE LAPACK::LAPACK BLAS::BLAS m)
  target_link_libraries(conehull_text_${kind} PUBLIC conehull_io_${kind}
    PRIVATE ZLIB::ZLIB PkgConfig::UTF8PROC ${CH_CLASSIFIER_LIBRARY} ${CH_STEMMER_LIBRARY} m)
endforeach()

# Of the rest of conehull it uses nothing but headers, so it links nothing of it.
if(CONEHULL_MPI)
  ch_library(conehull_mpi mpi ${CH_SOVERSION} ${mpi_objects})
  foreach(kind shared static)
    target_link_libraries(conehull_mpi_${kind} PUBLIC MPI::MPI_C)
  endforeach()
endif()

# libconehull from every folder but io and mpi, libconehull_io from src/io, libconehull_mpi from src/mpi;
# each shared and static.
#
# The shared libraries export ch_ names only. src/io uses names of base and linalg that libconehull.so
# hides, so libconehull_io.so carries its own hidden copy of the few objects it needs (they keep no
# state); the static libraries share one.
#
# The soname is what tests/e2e/install/check_abi calls a series: before 1.0 a minor version may break the ABI.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(CH_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
else()
  set(CH_SOVERSION ${PROJECT_VERSION_MAJOR})
endif()

# ch_library(FILE EXPORTED objects...): targets FILE_shared and FILE_static, installed as
# conehull::EXPORTED and conehull::EXPORTED_static.
function(ch_library name exported)
  add_library(${name}_shared SHARED ${ARGN})
  add_library(${name}_static STATIC ${ARGN})
  set_target_properties(${name}_shared PROPERTIES EXPORT_NAME ${exported})
  set_target_properties(${name}_static PROPERTIES EXPORT_NAME ${exported}_static)
  foreach(kind shared static)
    set(target ${name}_${kind})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C
      VERSION ${PROJECT_VERSION} SOVERSION ${CH_SOVERSION})
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

ch_library(conehull conehull ${core_objects})
foreach(kind shared static)
  target_link_libraries(conehull_${kind} PRIVATE Threads::Threads LAPACK::LAPACK BLAS::BLAS
    ${CH_CLASSIFIER_LIBRARY} m)
endforeach()

ch_library(conehull_io io ${io_objects})
foreach(kind shared static)
  target_link_libraries(conehull_io_${kind} PUBLIC conehull_${kind}
    PRIVATE ${CH_IO_LIBRARIES})
endforeach()
get_property(kernels GLOBAL PROPERTY CH_OBJECTS_OF_ch_kernels)
get_property(solvers GLOBAL PROPERTY CH_OBJECTS_OF_ch_project_lad)
add_library(ch_inner STATIC $<TARGET_OBJECTS:ch_base> $<TARGET_OBJECTS:ch_kernels> $<TARGET_OBJECTS:ch_linalg>
            ${kernels} ${solvers})
set_target_properties(ch_inner PROPERTIES LINKER_LANGUAGE C)
target_link_libraries(conehull_io_shared PRIVATE $<BUILD_INTERFACE:ch_inner> Threads::Threads m)
target_link_options(conehull_io_shared PRIVATE -Wl,--exclude-libs,libch_inner.a)

# Of the rest of conehull it uses nothing but headers, so it links nothing of it.
if(CONEHULL_MPI)
  ch_library(conehull_mpi mpi ${mpi_objects})
  foreach(kind shared static)
    target_link_libraries(conehull_mpi_${kind} PUBLIC MPI::MPI_C)
  endforeach()
endif()

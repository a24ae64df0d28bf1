# libconehull (shared and static) from the folders below app; libconehull_io from src/io.
set(core_objects)
foreach(folder IN LISTS CH_FOLDERS)
  if(NOT folder STREQUAL io)
    list(APPEND core_objects $<TARGET_OBJECTS:ch_${folder}>)
  endif()
endforeach()

function(ch_library name objects)
  foreach(kind SHARED STATIC)
    string(TOLOWER ${kind} suffix)
    add_library(${name}_${suffix} ${kind} ${objects})
    set_target_properties(${name}_${suffix} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
    target_include_directories(${name}_${suffix} PUBLIC
      $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()
endfunction()

ch_library(conehull "${core_objects}")
foreach(kind shared static)
  target_link_libraries(conehull_${kind} PRIVATE OpenMP::OpenMP_C ${BLAS_LIBRARIES} PkgConfig::LAPACKE m)
endforeach()

if(io IN_LIST CH_FOLDERS)
  ch_library(conehull_io $<TARGET_OBJECTS:ch_io>)
  foreach(kind shared static)
    target_link_libraries(conehull_io_${kind} PUBLIC conehull_${kind}
      PRIVATE LibArchive::LibArchive ZLIB::ZLIB PkgConfig::MATIO PkgConfig::HDF5)
  endforeach()
endif()

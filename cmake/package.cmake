# What `make install` puts in place, and how others find it: a CMake package and pkg-config files.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/conehull)

install(DIRECTORY include/conehull DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN *.h)
install(FILES ${CMAKE_BINARY_DIR}/include/conehull/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/conehull COMPONENT development)

set(pc_names conehull conehull-io conehull-video conehull-text conehull-spectra)
if(CONEHULL_MPI)
  list(APPEND pc_names conehull-mpi)
  install(EXPORT conehull-mpi NAMESPACE conehull:: DESTINATION ${package_dir} COMPONENT mpi)
endif()
foreach(kind shared static)
  install(EXPORT conehull-${kind} NAMESPACE conehull:: DESTINATION ${package_dir} COMPONENT development)
endforeach()
configure_file(cmake/conehullConfig.cmake.in conehullConfig.cmake @ONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/conehullConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/conehullConfig.cmake ${CMAKE_BINARY_DIR}/conehullConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT development)

# The prefix is told relative to the .pc file, so an installed tree may be moved.
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(JOIN " " static_libs ${LAPACK_LIBRARIES} -pthread -lm)
string(JOIN " " io_static_libs ${HDF5_LDFLAGS} ${LibArchive_LIBRARIES} ${PNG_LIBRARIES} ${ZLIB_LIBRARIES})
string(JOIN " " text_static_libs ${UTF8PROC_LDFLAGS} ${CH_CLASSIFIER_LIBRARY} ${CH_STEMMER_LIBRARY} ${ZLIB_LIBRARIES})
if(CONEHULL_VIDEO)
  string(JOIN " " io_static_libs ${io_static_libs} ${LIBAV_LDFLAGS})
  foreach(name IN LISTS CMAKE_DL_LIBS) # dlopen(); part of the C library since glibc 2.34
    string(APPEND io_static_libs " -l${name}")
  endforeach()
endif()
if(CONEHULL_JPEG)
  string(JOIN " " io_static_libs ${io_static_libs} ${TURBOJPEG_LDFLAGS})
endif()
if(CONEHULL_TIFF)
  string(JOIN " " io_static_libs ${io_static_libs} ${TIFF_LDFLAGS})
endif()
foreach(name IN LISTS pc_names)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  set(part development)
  if(name STREQUAL conehull-mpi)
    set(part mpi)
  endif()
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${part})
endforeach()

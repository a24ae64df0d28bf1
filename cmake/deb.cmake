# Debian packages by CPack (make deb): conehull (the command), libconehull0.2 (after the soname), libconehull-dev,
# conehull-lab and, with MPI, conehull-mpi.
# Dependencies are found by dpkg-shlibdeps. A binary with video is linked to FFmpeg, which Debian builds under the GPL:
# the copyright files say so.
set(CPACK_PACKAGE_CONTACT "The conehull authors <maintainers@conehull.example>")
string(TIMESTAMP CH_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(READ LICENSE text)
string(REGEX REPLACE "^MIT License\n\nCopyright[^\n]*\n\n" "" text "${text}")
string(STRIP "${text}" text)
string(REPLACE "\n\n" "\n.\n" text "${text}")
string(REPLACE "\n" "\n " CH_LICENCE_TEXT " ${text}")
set(CH_LICENCE_COMMENT "The source is under the licence below. Built without video, nothing else applies to it.")
if(CONEHULL_VIDEO)
  set(CH_LICENCE_COMMENT "The source is under the licence below. These binaries read video and are linked
 to FFmpeg (libavformat, libavcodec, libavutil, libswscale), which Debian builds
 with its GPL parts. As a whole they are under the GNU General Public License,
 version 2 or any later version; see /usr/share/common-licenses/GPL-2. A build
 with CONEHULL_VIDEO=OFF is not.")
endif()

set(debian ${CMAKE_BINARY_DIR}/debian)
configure_file(cmake/debian/copyright.in ${debian}/copyright @ONLY)
configure_file(cmake/debian/changelog.in ${debian}/changelog @ONLY)
find_program(GZIP gzip)
set(packages conehull libconehull${CH_SOVERSION} libconehull-dev)
set(CPACK_COMPONENTS_ALL command library development)
if(CONEHULL_LAB)
  list(APPEND packages conehull-lab)
  list(APPEND CPACK_COMPONENTS_ALL lab)
endif()
if(CONEHULL_MPI)
  list(APPEND packages conehull-mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()

# What belongs to a Debian package alone; a build for another prefix has none of it.
if(GZIP AND CMAKE_INSTALL_PREFIX STREQUAL /usr)
  execute_process(COMMAND ${GZIP} -9nf ${debian}/changelog)
  foreach(package component IN ZIP_LISTS packages CPACK_COMPONENTS_ALL)
    install(FILES ${debian}/copyright ${debian}/changelog.gz DESTINATION share/doc/${package} COMPONENT ${component})
  endforeach()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY >=)

set(about "conehull finds the few columns of a non-negative matrix whose
non-negative combinations explain all the others (near-separable NMF),
under the l1, l2, Kullback-Leibler, Itakura-Saito or another Bregman loss,
with a proof that every column's fit is optimal. It takes videos apart
into background and moving objects, and finds exemplars and topics of
documents.")
foreach(part IN ITEMS "COMMAND|conehull|math|anchor columns of a non-negative matrix|This package has the command."
                      "LIBRARY|libconehull${CH_SOVERSION}|libs|anchor columns of a non-negative matrix, libraries|This package has the shared libraries."
                      "DEVELOPMENT|libconehull-dev|libdevel|anchor columns of a non-negative matrix, headers|This package has what programs that use the libraries are built with."
                      "LAB|conehull-lab|math|anchor columns of a non-negative matrix, experiments|This package has the commands reproduce and bench."
                      "MPI|conehull-mpi|math|anchor columns of a non-negative matrix, over MPI|This package has the command and the library for runs under mpirun.")
  string(REPLACE "|" ";" part "${part}")
  list(GET part 0 key)
  list(GET part 1 CPACK_DEBIAN_${key}_PACKAGE_NAME)
  list(GET part 2 CPACK_DEBIAN_${key}_PACKAGE_SECTION)
  list(GET part 3 summary)
  list(GET part 4 sentence)
  set(CPACK_COMPONENT_${key}_DESCRIPTION "${summary}\n${about}\n\n${sentence}")
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${about}\n.\n${sentence}")
endforeach()
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_MPI_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libconehull${CH_SOVERSION} (= ${PROJECT_VERSION})")
foreach(part MPI LAB)
  set(CPACK_DEBIAN_${part}_PACKAGE_DEPENDS "conehull (= ${PROJECT_VERSION})")
endforeach()
set(CPACK_DEBIAN_LAB_PACKAGE_SUGGESTS "python3-sklearn")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "conehull-lab, conehull-mpi, ffmpeg")
include(CPack)

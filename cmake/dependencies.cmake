# The libraries that conehull uses, and the files that are chosen by them. A build for the browser has others
# (web/dependencies.cmake).
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(BLAS REQUIRED)
find_package(LAPACK REQUIRED) # eigenvalues; OpenBLAS holds both
find_package(LibArchive REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(XXHASH REQUIRED libxxhash) # its header alone: src/base/hash.c
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial)
find_package(PNG REQUIRED)
pkg_check_modules(LIBAV IMPORTED_TARGET libavformat libavcodec libavutil libswscale)
ch_auto(CONEHULL_VIDEO "${LIBAV_FOUND}" "Read and write video with libav (a binary linked to Debian's is under the GPL)")
if(CONEHULL_VIDEO AND NOT LIBAV_FOUND)
  message(FATAL_ERROR "CONEHULL_VIDEO needs libavformat, libavcodec, libavutil and libswscale; or turn it OFF")
endif()
pkg_check_modules(TIFF IMPORTED_TARGET libtiff-4>=4.5)
ch_auto(CONEHULL_TIFF "${TIFF_FOUND}" "Read cubes from TIFF with libtiff 4.5 or later")
if(CONEHULL_TIFF AND NOT TIFF_FOUND)
  message(FATAL_ERROR "CONEHULL_TIFF needs libtiff 4.5 or later; or turn it OFF")
endif()
find_path(STEMMER_INCLUDE_DIR libstemmer.h)
find_library(STEMMER_LIBRARY stemmer)
if(STEMMER_INCLUDE_DIR AND STEMMER_LIBRARY)
  set(CH_STEMMER snowball)
  set(CH_STEMMER_LIBRARY ${STEMMER_LIBRARY})
else()
  message(STATUS "libstemmer not found: no --stem")
  set(CH_STEMMER none)
  set(CH_STEMMER_LIBRARY "")
endif()
find_path(LIBLINEAR_INCLUDE_DIR linear.h)
find_library(LIBLINEAR_LIBRARY linear)
if(LIBLINEAR_INCLUDE_DIR AND LIBLINEAR_LIBRARY)
  set(CH_CLASSIFIER liblinear)
  set(CH_CLASSIFIER_LIBRARY ${LIBLINEAR_LIBRARY})
else()
  message(STATUS "LIBLINEAR not found: exemplars without --labels")
  set(CH_CLASSIFIER none)
  set(CH_CLASSIFIER_LIBRARY "")
endif()
set(CH_IO_LIBRARIES LibArchive::LibArchive ZLIB::ZLIB PkgConfig::HDF5 PNG::PNG)
if(CONEHULL_VIDEO)
  list(APPEND CH_IO_LIBRARIES PkgConfig::LIBAV ${CMAKE_DL_LIBS}) # cameras: libavdevice, when one is asked for
endif()
if(CONEHULL_TIFF)
  list(APPEND CH_IO_LIBRARIES PkgConfig::TIFF)
endif()
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
# The libraries of MPI are not instrumented. The address and undefined behaviour sanitizers look at our code only; to the
# thread and memory sanitizers what MPI writes would be a race, or never written. No fuzz program has ranks.
if(NOT CONEHULL_SANITIZERS MATCHES "thread|memory|fuzzer")
  find_package(MPI COMPONENTS C QUIET)
endif()
ch_auto(CONEHULL_MPI "${MPI_C_FOUND}" "Columns over the ranks of MPI: libconehull_mpi and conehull-mpi")
if(CONEHULL_MPI AND NOT MPI_C_FOUND)
  message(FATAL_ERROR "CONEHULL_MPI needs MPI (libopenmpi-dev or libmpich-dev); or turn it OFF")
endif()

# What this build is made of.
set(CONEHULL_BLAS ON)     # src/linalg: calls of BLAS and LAPACK
set(CONEHULL_THREADS ON)  # src/video/live: a thread that learns beside the caller
set(CONEHULL_HDF5 ON)     # src/io: .h5, .mat of MATLAB 7.3, cubes of HyperSpy
set(CONEHULL_ARCHIVE ON)  # src/io/file: .npz by libarchive
set(CH_IO_FOLDERS io/file io/matrix io/hdf5 io/mat io/picture io/clip io/av io/cube)

# A build for the browser (emcmake, `make web`): plain loops instead of BLAS, no HDF5, libarchive, libpng or libav, one thread.
# zlib and Jansson come as sources (web/fetch-sources).
set(CH_WEB_SOURCES ${CMAKE_BINARY_DIR}/sources)
if(NOT EXISTS ${CH_WEB_SOURCES}/complete)
  message(FATAL_ERROR "${CH_WEB_SOURCES}: not there; web/fetch-sources ${CH_WEB_SOURCES} fetches it")
endif()
enable_language(C)
set(CONEHULL_BLAS OFF)
set(CONEHULL_HDF5 OFF)
set(CONEHULL_ARCHIVE OFF)
set(CONEHULL_TIFF OFF)
set(CONEHULL_THREADS OFF)
set(CONEHULL_TESTS OFF)
set(CH_IO_FOLDERS io/file io/matrix io/hdf5 io/mat io/cube)
set(XXHASH_INCLUDE_DIRS ${CH_WEB_SOURCES}/include)
add_library(Threads::Threads INTERFACE IMPORTED)

# Vectors of 128 bits: the portable loops are written in vectors of two doubles.
add_compile_options(-msimd128 -O3)

set(zlib ${CH_WEB_SOURCES}/zlib)
add_library(ch_zlib STATIC ${zlib}/adler32.c ${zlib}/crc32.c ${zlib}/deflate.c ${zlib}/inffast.c ${zlib}/inflate.c
  ${zlib}/inftrees.c ${zlib}/trees.c ${zlib}/zutil.c)
target_include_directories(ch_zlib PUBLIC ${zlib})
target_compile_options(ch_zlib PRIVATE -w)

# What Jansson's configure would find out.
file(WRITE ${CMAKE_BINARY_DIR}/jansson/jansson_config.h "#pragma once
#define JSON_INLINE inline
#define JSON_INTEGER_IS_LONG_LONG 1
#define JSON_HAVE_LOCALECONV 1
#define JSON_HAVE_ATOMIC_BUILTINS 1
#define JSON_HAVE_SYNC_BUILTINS 0
#define JSON_PARSER_MAX_DEPTH 2048
")
file(WRITE ${CMAKE_BINARY_DIR}/jansson/jansson_private_config.h "#define HAVE_STDINT_H 1\n#define INITIAL_HASHTABLE_ORDER 3\n")
set(jansson ${CH_WEB_SOURCES}/jansson/src)
set(jansson_files)
foreach(name dump error hashtable hashtable_seed load memory pack_unpack strbuffer strconv utf value version)
  list(APPEND jansson_files ${jansson}/${name}.c)
endforeach()
add_library(ch_jansson STATIC ${jansson_files})
target_include_directories(ch_jansson PUBLIC ${jansson} ${CMAKE_BINARY_DIR}/jansson)
target_compile_definitions(ch_jansson PRIVATE HAVE_CONFIG_H)
target_compile_options(ch_jansson PRIVATE -w)

set(CH_IO_LIBRARIES ch_zlib)

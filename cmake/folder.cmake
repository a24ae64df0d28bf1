# ch_folder(file.c ...): the object library of one folder of src/, named by its path: src/io/hdf5 is
# ch_io_hdf5. CH_FOLDER is that name for the rest of the folder's CMakeLists.txt.
function(ch_folder)
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" path ${path})
  add_library(ch_${path} OBJECT ${ARGN})
  target_link_libraries(ch_${path} PRIVATE ch_flags Threads::Threads)
  target_include_directories(ch_${path} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  set(CH_FOLDER ch_${path} PARENT_SCOPE)
endfunction()

# ch_folders(OUT folder ...): adds those folders of src/ and gives their objects.
function(ch_folders out)
  set(objects)
  foreach(folder IN LISTS ARGN)
    add_subdirectory(src/${folder})
    string(REPLACE "/" "_" name ${folder})
    get_property(kernels GLOBAL PROPERTY CH_OBJECTS_OF_ch_${name}) # cmake/kernels.cmake
    list(APPEND objects $<TARGET_OBJECTS:ch_${name}> ${kernels})
  endforeach()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()

# ch_folder(NAME file.c ...): the object library of one folder of src/.
function(ch_folder name)
  add_library(ch_${name} OBJECT ${ARGN})
  target_link_libraries(ch_${name} PRIVATE ch_flags Threads::Threads)
  target_include_directories(ch_${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
endfunction()

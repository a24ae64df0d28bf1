# Hot loops, compiled once per instruction set (src/kernels/kernels.h). Instruction sets and processors are chosen here, never
# by #if. Of a set: its flags, the doubles in its registers, and how many of these there are.
set(CH_KERNEL_SETS portable)
set(CH_FLAGS_portable)
set(CH_LANES_portable 2)
set(CH_REGISTERS_portable 16)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(CH_KERNEL_LIST kernel_sets_x86.c)
  set(CH_STEPS_2 steps_sse2.h) # by doubles in a register
  list(APPEND CH_KERNEL_SETS avx2 avx512)
  set(CH_FLAGS_avx2 -mavx2 -mfma)
  set(CH_LANES_avx2 4)
  set(CH_REGISTERS_avx2 16)
  set(CH_STEPS_4 steps_avx2.h)
  set(CH_FLAGS_avx512 -mavx2 -mfma -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
  set(CH_LANES_avx512 8)
  set(CH_REGISTERS_avx512 32)
  set(CH_STEPS_8 steps_avx512.h)
else()
  set(CH_KERNEL_LIST kernel_sets_other.c)
  set(CH_STEPS_2 steps_portable.h)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(CH_REGISTERS_portable 32) # NEON: the portable loops are vectors of two doubles
  endif()
endif()

# Sanitizers look at memory, not at seconds: their copies of these loops, fully optimised, took half of the time in which a
# sanitized build is compiled.
set(CH_KERNEL_SPEED -O3)
if(CONEHULL_SANITIZERS)
  set(CH_KERNEL_SPEED -O1)
endif()

# ch_kernel_files(SETS FLAGS file.c ...): those files once for each of SETS that this processor family has, with the flags of
# the set and FLAGS, into the folder whose ch_folder() came before. SET/N: N doubles in a register instead of the most.
function(ch_kernel_files sets flags)
  foreach(choice IN LISTS sets)
    string(REGEX MATCH "^([a-z0-9]+)/?([0-9]*)$" matched ${choice})
    set(set ${CMAKE_MATCH_1})
    set(lanes ${CMAKE_MATCH_2})
    if(NOT set IN_LIST CH_KERNEL_SETS)
      continue()
    endif()
    if(NOT lanes)
      set(lanes ${CH_LANES_${set}})
    endif()
    foreach(file IN LISTS ARGN)
      get_filename_component(name ${file} NAME_WE)
      set(target ch_${name}_${set})
      add_library(${target} OBJECT ${file})
      target_link_libraries(${target} PRIVATE ch_flags)
      target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src)
      target_compile_options(${target} PRIVATE ${CH_FLAGS_${set}} ${flags})
      target_compile_definitions(${target} PRIVATE CHI_SET=${set} CHI_LANES=${lanes} CHI_REGISTERS=${CH_REGISTERS_${set}}
                                                   CHI_STEPS="kernels/${CH_STEPS_${lanes}}")
      set_property(GLOBAL APPEND PROPERTY CH_OBJECTS_OF_${CH_FOLDER} $<TARGET_OBJECTS:${target}>)
    endforeach()
  endforeach()
endfunction()

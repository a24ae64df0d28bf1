# ch_add_test(KIND/SUBJECT/NAME [SKIPS] COMMAND words... [LABELS more...] [PROPERTIES name value...])
#
# One test, and the one place where tests get their labels: KIND (unit, solver, fault, e2e or long), SUBJECT, and those of
# LABELS. A test of kind long runs with `ctest -C long` only. SKIPS: exit code 77 means that it cannot run here; for programs
# of cmocka that would be a number of failures. A value of PROPERTIES holds no semicolon.
function(ch_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test SKIPS "" "COMMAND;LABELS;PROPERTIES")
  if(NOT name MATCHES "^(unit|solver|fault|e2e|long)/([a-z]+)/[a-z0-9_]+$")
    message(FATAL_ERROR "${name}: a test is called KIND/SUBJECT/NAME")
  endif()
  set(kind ${CMAKE_MATCH_1})
  set(labels ${kind} ${CMAKE_MATCH_2} ${test_LABELS})
  set(configurations)
  if(kind STREQUAL "long")
    set(configurations CONFIGURATIONS long)
  endif()
  add_test(NAME ${name} ${configurations} COMMAND ${test_COMMAND} COMMAND_EXPAND_LISTS)
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" ${test_PROPERTIES})
  if(test_SKIPS)
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  endif()
endfunction()

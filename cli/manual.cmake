# Manual pages, from the help of the program: conehull(1) and one for each cmd_<name>.c.
set(manual ${CMAKE_BINARY_DIR}/man)
file(MAKE_DIRECTORY ${manual})
string(TIMESTAMP today "%Y-%m-%d" UTC) # SOURCE_DATE_EPOCH is heeded
file(GLOB command_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} */cmd_*.c ../lab/*/cmd_*.c)
list(TRANSFORM command_files REPLACE ".*/cmd_(.*)[.]c" "\\1" OUTPUT_VARIABLE command_names)
set(manual_pages)
# Debian's packages, which alone are for /usr, have them compressed.
if(CMAKE_INSTALL_PREFIX STREQUAL /usr)
  set(packed .gz)
  set(pack COMMAND gzip -9nkf)
else()
  set(packed)
  set(pack COMMAND ${CMAKE_COMMAND} -E true)
endif()
foreach(name IN ITEMS "" LISTS command_names)
  string(JOIN - page conehull ${name})
  add_custom_command(OUTPUT ${manual}/${page}.1${packed} DEPENDS conehull ${CMAKE_SOURCE_DIR}/cmake/help_to_man.awk
    COMMAND $<TARGET_FILE:conehull> ${name} --help > ${page}.help
    COMMAND awk -v page=${page} -v version=${PROJECT_VERSION} -v date=${today}
            -f ${CMAKE_SOURCE_DIR}/cmake/help_to_man.awk ${page}.help > ${page}.1
    ${pack} ${page}.1
    COMMAND ${CMAKE_COMMAND} -E rm ${page}.help
    WORKING_DIRECTORY ${manual} VERBATIM)
  list(APPEND manual_pages ${manual}/${page}.1${packed})
endforeach()
add_custom_target(manual ALL DEPENDS ${manual_pages})
if(CONEHULL_MPI)
  configure_file(conehull-mpi.1.in ${manual}/conehull-mpi.1 @ONLY)
  if(packed)
    execute_process(COMMAND gzip -9nkf ${manual}/conehull-mpi.1)
  endif()
  install(FILES ${manual}/conehull-mpi.1${packed} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT mpi)
endif()
install(FILES ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
install(FILES completion/conehull.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME conehull
        COMPONENT command)
install(FILES completion/_conehull DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT command)

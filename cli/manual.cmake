# Manual pages, from the help of the programs: conehull(1), conehull-lab(1), and one for each cmd_<name>.c.
set(manual ${CMAKE_BINARY_DIR}/man)
file(MAKE_DIRECTORY ${manual})
string(TIMESTAMP today "%Y-%m-%d" UTC) # SOURCE_DATE_EPOCH is heeded
# Debian's packages, which alone are for /usr, have them compressed.
if(CMAKE_INSTALL_PREFIX STREQUAL /usr)
  set(packed .gz)
  set(pack COMMAND gzip -9nkf)
else()
  set(packed)
  set(pack COMMAND ${CMAKE_COMMAND} -E true)
endif()

# ch_manual(PROGRAM COMPONENT FOLDER): the page of a program, and those of the cmd_*.c below a folder.
function(ch_manual program component folder)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*/cmd_*.c)
  list(TRANSFORM files REPLACE ".*/cmd_(.*)[.]c" "\\1" OUTPUT_VARIABLE names)
  set(pages)
  foreach(name IN ITEMS "" LISTS names)
    set(page conehull-${name})
    set(asks --help-all)
    if(NOT name)
      set(page ${program})
      set(asks --help)
    endif()
    add_custom_command(OUTPUT ${manual}/${page}.1${packed} DEPENDS ${program} ${CMAKE_SOURCE_DIR}/cmake/help_to_man.awk
      COMMAND ${program} ${name} ${asks} > ${page}.help
      COMMAND awk -v page=${page} -v version=${PROJECT_VERSION} -v date=${today}
              -f ${CMAKE_SOURCE_DIR}/cmake/help_to_man.awk ${page}.help > ${page}.1
      ${pack} ${page}.1
      COMMAND ${CMAKE_COMMAND} -E rm ${page}.help
      WORKING_DIRECTORY ${manual} VERBATIM)
    list(APPEND pages ${manual}/${page}.1${packed})
  endforeach()
  add_custom_target(manual_${component} ALL DEPENDS ${pages})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
  install(FILES cli/completion/conehull.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME ${program} COMPONENT ${component})
endfunction()

ch_manual(conehull command ${CMAKE_SOURCE_DIR}/cli)
install(FILES cli/completion/_conehull DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT command)
if(CONEHULL_LAB)
  ch_manual(conehull-lab lab ${CMAKE_SOURCE_DIR}/lab)
endif()
if(CONEHULL_MPI)
  configure_file(cli/conehull-mpi.1.in ${manual}/conehull-mpi.1 @ONLY)
  if(packed)
    execute_process(COMMAND gzip -9nkf ${manual}/conehull-mpi.1)
  endif()
  install(FILES ${manual}/conehull-mpi.1${packed} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT mpi)
endif()

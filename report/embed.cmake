# Turns style sheets, scripts and whole pages into C text: name.js becomes report_name_js[] of report_page.h.
#
#     cmake -DOUT=<file.c> -P embed.cmake file.css file.js file.html ...
#
# A style sheet or script that could end its own element is refused: it would end the page's.
set(definitions "")
set(files "")
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(CMAKE_ARGV${i} MATCHES "\\.(css|js|html)$")
    list(APPEND files ${CMAKE_ARGV${i}})
  endif()
endforeach()
foreach(file IN LISTS files)
  file(READ ${file} text)
  string(TOLOWER "${text}" lower)
  if(NOT file MATCHES "\\.html$" AND lower MATCHES "</(script|style)")
    message(FATAL_ERROR "${file} holds </script or </style, which would end the page's own")
  endif()
  get_filename_component(base ${file} NAME)
  string(REGEX REPLACE "[^A-Za-z0-9]" "_" name "report_${base}")
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND definitions "const char ${name}[] = {${bytes}0};\n")
endforeach()
file(WRITE ${OUT} "/* Made by report/embed.cmake. */\n#include \"report_page.h\"\n\n${definitions}")

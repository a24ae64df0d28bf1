# Turns a file into C text:   cmake -DFROM=file -DTO=file.c -DNAME=name -P text_to_c.cmake
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${TO} "extern const char ${NAME}[];\nconst char ${NAME}[] = {${bytes}0};\n")

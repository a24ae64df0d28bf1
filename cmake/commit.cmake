# Writes a C file with the commit that is being built, when it has changed; "" outside a repository.
#     cmake -DSOURCE=... -DTO=.../commit.c -P commit.cmake
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude *
                OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
set(text "extern const char lab_commit[];\nconst char lab_commit[] = \"${commit}\";\n")
if(EXISTS ${TO})
  file(READ ${TO} former)
endif()
if(NOT "${former}" STREQUAL "${text}")
  file(WRITE ${TO} "${text}")
endif()

/* In the place of emscripten's header: enough to compile the program of the page natively. */
#pragma once

#define EMSCRIPTEN_KEEPALIVE
#define EM_JS(type, name, arguments, ...) \
    type name arguments;                  \
    type name arguments {                 \
    }

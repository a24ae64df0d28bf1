/* Macros for writing a settings table: rows of ch_setting, then CHI_SETTINGS_TABLE. */
#pragma once

#include <conehull/settings.h>
#include <stddef.h>

/* Defines the function that returns the table of a settings type. */
#define CHI_SETTINGS_TABLE(function, name, rows, type)                                  \
    const ch_settings_table *function(void) {                                           \
        static const ch_settings_table table = {name, rows, sizeof rows / sizeof *rows, \
                                                sizeof(type)};                          \
        return &table;                                                                  \
    }

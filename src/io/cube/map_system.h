/* Coordinate systems by their EPSG code, as texts of an ENVI header. */
#pragma once

typedef struct chi_map_system {
    const char *name; /* first entry of "map info", such as "UTM"                          */
    char tail[64];    /* entries after the pixel size, such as "32, North, WGS-84, units=Meters" */
    char wkt[900];    /* "coordinate system string"                                        */
} chi_map_system;

/* Returns 1 and fills *system, or returns 0 if the table does not have this code. */
int chi_map_system_find(chi_map_system *system, int code);

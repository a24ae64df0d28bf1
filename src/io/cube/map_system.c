/* Coordinate systems of EPSG's list that are frequent among scenes: UTM zones and geographic
 * coordinates of five datums. Their texts are those of an ENVI header: the entries of "map info"
 * and a "coordinate system string" as WKT in the dialect of ESRI.
 *
 * Sources: the EPSG registry (codes, ellipsoids); "ENVI Header Files" (entries of map info). */
#include "io/cube/map_system.h"
#include <stdio.h>

typedef struct datum {
    int geographic;    /* code of its geographic coordinates                                */
    const char *envi;  /* name in map info; NULL: ENVI's name is not known and left out     */
    const char *esri;  /* name in WKT, after "GCS_" and "D_"                                */
    const char *shape; /* ellipsoid with its semi-major axis in metres and 1 / flattening   */
    double axis, flattening;
} datum;

static const datum datums[] = {
    {4326, "WGS-84", "WGS_1984", "WGS_1984", 6378137, 298.257223563},
    {4269, "North America 1983", "North_American_1983", "GRS_1980", 6378137, 298.257222101},
    {4267, "North America 1927", "North_American_1927", "Clarke_1866", 6378206.4, 294.9786982},
    {4258, NULL, "ETRS_1989", "GRS_1980", 6378137, 298.257222101},
    {4283, NULL, "GDA_1994", "GRS_1980", 6378137, 298.257222101},
};

/* The code of zone z is base + z, for z from `first` to `last`. */
static const struct {
    int base, first, last, south, datum;
} zones[] = {
    {32600, 1, 60, 0, 0}, {32700, 1, 60, 1, 0},  {26900, 1, 23, 0, 1},
    {26700, 1, 22, 0, 2}, {25800, 28, 38, 0, 3}, {28300, 48, 58, 1, 4},
};

/* Writes GEOGCS[...]. Returns the number of characters, as snprintf() does. */
static int put_geographic(char *text, size_t space, const datum *d) {
    return snprintf(text, space,
                    "GEOGCS[\"GCS_%s\",DATUM[\"D_%s\",SPHEROID[\"%s\",%.1f,%.12g]],"
                    "PRIMEM[\"Greenwich\",0.0],UNIT[\"Degree\",0.0174532925199433]]",
                    d->esri, d->esri, d->shape, d->axis, d->flattening);
}

static void describe_zone(chi_map_system *system, const datum *d, int zone, int south) {
    char base[400];
    put_geographic(base, sizeof base, d);
    system->name = "UTM";
    snprintf(system->tail, sizeof system->tail, "%d, %s%s%s, units=Meters", zone,
             south ? "South" : "North", d->envi ? ", " : "", d->envi ? d->envi : "");
    snprintf(system->wkt, sizeof system->wkt,
             "PROJCS[\"%s_UTM_Zone_%d%c\",%s,PROJECTION[\"Transverse_Mercator\"],"
             "PARAMETER[\"False_Easting\",500000.0],PARAMETER[\"False_Northing\",%d.0],"
             "PARAMETER[\"Central_Meridian\",%d.0],PARAMETER[\"Scale_Factor\",0.9996],"
             "PARAMETER[\"Latitude_Of_Origin\",0.0],UNIT[\"Meter\",1.0]]",
             d->esri, zone, south ? 'S' : 'N', base, south ? 10000000 : 0, 6 * zone - 183);
}

int chi_map_system_find(chi_map_system *system, int code) {
    for (size_t k = 0; k < sizeof datums / sizeof *datums; k++) {
        if (datums[k].geographic != code) continue;
        const char *envi = datums[k].envi;
        system->name = "Geographic Lat/Lon";
        snprintf(system->tail, sizeof system->tail, "%s%sunits=Degrees", envi ? envi : "",
                 envi ? ", " : "");
        put_geographic(system->wkt, sizeof system->wkt, &datums[k]);
        return 1;
    }
    for (size_t k = 0; k < sizeof zones / sizeof *zones; k++) {
        int zone = code - zones[k].base;
        if (zone < zones[k].first || zone > zones[k].last) continue;
        describe_zone(system, &datums[zones[k].datum], zone, zones[k].south);
        return 1;
    }
    return 0;
}

/* Bands by number (1-50,60-) and by wavelength (400-900nm,1100-). */
#include "unmix/unmix_command.h"
#include <math.h>

/* Ranges with commas between them: low-high, low-, -high or one number; open ends are infinite.
 * Marks what lies in one of them; value(user, k) is that of band k. *idle becomes the first range
 * without a band, and its length. 0: not understood. */
typedef struct range {
    const char *text; /* NULL: every range has a band */
    int length;
} range;

typedef double (*value_of)(const void *user, int64_t band);

static int take_number(const char **text, double *value) {
    char *end;
    if (!**text || !strchr("0123456789.", **text)) return 0;
    double number = strtod(*text, &end);
    if (end == *text || !isfinite(number)) return 0;
    *value = number;
    *text = end;
    return 1;
}

static int take_range(const char **text, double *low, double *high) {
    *low = -INFINITY;
    *high = INFINITY;
    int first = take_number(text, low);
    if (**text != '-') {
        *high = *low;
        return first;
    }
    ++*text;
    int second = take_number(text, high);
    return (first || second) && *low <= *high;
}

static int mark(char *chosen, range *idle, int64_t count, const char *text, value_of value,
                const void *user) {
    double low, high;
    for (const char *from = text; take_range(&text, &low, &high); from = text) {
        int found = 0;
        for (int64_t k = 0; k < count; k++)
            if (value(user, k) >= low && value(user, k) <= high) chosen[k] = found = 1;
        if (!found && !idle->text) *idle = (range){from, (int)(text - from)};
        if (!*text) return 1;
        if (*text++ != ',') return 0;
    }
    return 0;
}

static double number_of(const void *user, int64_t band) {
    (void)user;
    return (double)band + 1;
}

/* Wavelengths in the unit that was asked for. */
typedef struct scale {
    const double *wavelengths;
    double factor;
} scale;

static double wavelength_of(const void *user, int64_t band) {
    const scale *of = user;
    return of->wavelengths[band] * of->factor;
}

double unmix_unit_size(const char *unit) {
    static const struct {
        const char *name;
        double size;
    } units[] = {{"nanometers", 1},     {"nm", 1},         {"nanometer", 1},
                 {"micrometers", 1000}, {"um", 1000},      {"\xc2\xb5m", 1000},
                 {"\xce\xbcm", 1000},   {"microns", 1000}, {"micrometer", 1000}};
    for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++)
        if (strcasecmp(unit, units[i].name) == 0) return units[i].size;
    return 0;
}

/* The unit at the end of "400-900nm" goes to *size, and *length becomes that of the rest. */
static int take_unit(const char *text, size_t *length, double *size) {
    *length = strspn(text, "0123456789.,-");
    *size = unmix_unit_size(text + *length);
    return !text[*length] || *size > 0;
}

static int mark_wavelengths(const ch_cube *cube, const char *text, char *chosen) {
    size_t length;
    double asked, own = unmix_unit_size(cube->unit);
    if (!cube->wavelengths)
        return cli_refuse("unmix: --wavelengths cannot be used, because the file contains no "
                          "wavelengths; use --bands");
    if (!take_unit(text, &length, &asked))
        return cli_refuse("unmix: --wavelengths: the unit '%s' must be nm or um", text + length);
    if (asked > 0 && own == 0)
        return cli_refuse("unmix: --wavelengths: the wavelengths of the file are not in nm or um "
                          "(%s); leave out the unit",
                          cube->unit ? cube->unit : "no unit");
    scale of = {cube->wavelengths, asked > 0 ? own / asked : 1};
    range idle = {0};
    char *ranges = strndup(text, length);
    if (!ranges) return cli_no_memory();
    int code = EXIT_DONE;
    if (!mark(chosen, &idle, cube->bands, ranges, wavelength_of, &of))
        code = cli_refuse("unmix: --wavelengths must be ranges, as in 400-900nm or "
                          "0.4-0.9um,1.1-; got '%s'",
                          text);
    else if (idle.text)
        code = cli_refuse(
            "unmix: --wavelengths: no band is in %.*s; the bands of the file are from "
            "%.6g to %.6g%s%s",
            idle.length, idle.text, wavelength_of(&of, 0), wavelength_of(&of, cube->bands - 1),
            *(text + length) ? " " : "", text + length);
    free(ranges);
    return code;
}

/* Whether one of the numbers is 0, which is no band. */
static int names_zero(const char *text) {
    for (; *text; text += strspn(text, ",-")) {
        size_t digits = strspn(text, "0123456789");
        if (digits > 0 && strtoll(text, NULL, 10) == 0) return 1;
        text += digits;
    }
    return 0;
}

static int mark_chosen(const ch_cube *cube, const unmix_arguments *given, char *chosen) {
    range idle = {0};
    if (given->wavelengths) return mark_wavelengths(cube, given->wavelengths, chosen);
    if (!given->bands)
        memset(chosen, 1, (size_t)cube->bands);
    else if (strspn(given->bands, "0123456789,-") != strlen(given->bands) ||
             names_zero(given->bands) ||
             !mark(chosen, &idle, cube->bands, given->bands, number_of, NULL))
        return cli_refuse("unmix: --bands must be numbers from 1 on and ranges of them, as in "
                          "1-50,60-; got '%s'",
                          given->bands);
    if (idle.text)
        return cli_refuse("unmix: --bands: no band is in %.*s; the file has bands 1 to %lld",
                          idle.length, idle.text, (long long)cube->bands);
    return EXIT_DONE;
}

int unmix_take_bands(const cli_session *session, const ch_cube *cube, const unmix_arguments *given,
                     int64_t *list, int64_t *count, int64_t *bad) {
    char *chosen = calloc((size_t)cube->bands + 1, 1);
    *count = *bad = 0;
    if (!chosen) return cli_no_memory();
    if (given->bands && given->wavelengths) {
        free(chosen);
        return cli_wrong_use(session,
                             "--bands and --wavelengths cannot be used together; give one of them");
    }
    int code = mark_chosen(cube, given, chosen);
    for (int64_t k = 0; code == EXIT_DONE && k < cube->bands; k++) {
        if (!chosen[k]) continue;
        if (cube->good && !cube->good[k] && !given->bands) /* a number means what it says */
            ++*bad;
        else
            list[(*count)++] = k;
    }
    free(chosen);
    if (code == EXIT_DONE && *count < 2)
        code = cli_refuse("%s: only %lld of the %lld bands are left%s; at least 2 are needed",
                          session->options.operands[0], (long long)*count, (long long)cube->bands,
                          *bad ? " after those that the file marks as bad were left out" : "");
    return code;
}

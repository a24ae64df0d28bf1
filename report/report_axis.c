/* Axes with round numbers: steps of 1, 2 or 5 times a power of ten. */
#include "report_chart.h"
#include <math.h>

void report_axis_fit(report_axis *axis, double low, double high, int ticks) {
    if (!(high > low)) high = low + (low == 0 ? 1 : fabs(low));
    double raw = (high - low) / (ticks > 0 ? ticks : 5), power = pow(10, floor(log10(raw)));
    double lead = raw / power;
    axis->step = power * (lead <= 1.0001 ? 1 : lead <= 2.0001 ? 2 : lead <= 5.0001 ? 5 : 10);
    axis->low = axis->step * floor(low / axis->step + 1e-9);
    axis->high = axis->step * ceil(high / axis->step - 1e-9);
    int decimals = (int)ceil(-log10(axis->step) - 1e-9);
    axis->decimals = decimals > 0 ? decimals : 0;
}

static void widen(double *low, double *high, const double *values, int count) {
    for (int i = 0; values && i < count; i++) {
        if (!isfinite(values[i])) continue;
        *low = fmin(*low, values[i]);
        *high = fmax(*high, values[i]);
    }
}

static int are_whole(const double *values, int count) {
    for (int i = 0; i < count; i++)
        if (values[i] != floor(values[i])) return 0;
    return 1;
}

void report_chart_fit(report_chart *chart) {
    double x_low = INFINITY, x_high = -INFINITY, y_low = 0, y_high = 0;
    int whole = 1;
    for (int i = 0; i < chart->count; i++) {
        const report_line *line = &chart->lines[i];
        widen(&x_low, &x_high, line->x, line->count);
        whole = whole && are_whole(line->x, line->count);
        widen(&y_low, &y_high, line->y, line->count);
        widen(&y_low, &y_high, line->low, line->count);
        widen(&y_low, &y_high, line->high, line->count);
    }
    if (!isfinite(x_low)) x_low = 0, x_high = 1;
    report_axis_fit(&chart->x, x_low, x_high, 8);
    if (whole && chart->x.step < 1) /* all x are whole numbers, so ticks are at whole numbers */
        chart->x = (report_axis){chart->x.label, x_low, x_high > x_low ? x_high : x_low + 1, 1, 0};
    report_axis_fit(&chart->y, y_low, y_high, 5);
}

/* Percentiles of any number of latencies in fixed memory: a histogram with steps of 1 %. */
#include "live/live_command.h"
#include <math.h>

static const double least = 1e-6, step = 1.01;

void live_latency_add(live_latency *latency, double seconds) {
    double level = seconds > least ? log(seconds / least) / log(step) : 0;
    latency->level[level < LIVE_LEVELS - 1 ? (int)level : LIVE_LEVELS - 1]++;
    latency->count++;
    latency->sum += seconds;
    if (seconds > latency->most) latency->most = seconds;
}

double live_latency_at(const live_latency *latency, double share) {
    double below = 0, wanted = share * (double)latency->count;
    for (int i = 0; i < LIVE_LEVELS && latency->count > 0; i++) {
        below += (double)latency->level[i];
        if (below >= wanted) return fmin(least * pow(step, i + 1), latency->most);
    }
    return NAN;
}

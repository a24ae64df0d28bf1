/* Events on the page of video and live: a table, whose clips can be opened, and data for the marks
 * on the timeline. */
#include "report_pages.h"
#include <math.h>

enum { ROWS_MAX = 100, MARKS_MAX = 500 };

/* "1:02:03.4" */
static void put_clock(char text[32], double seconds) {
    long long tenths = (long long)(seconds * 10 + 0.5), whole = tenths / 10;
    snprintf(text, 32, "%lld:%02lld:%02lld.%lld", whole / 3600, whole / 60 % 60, whole % 60,
             tenths % 10);
}

static void write_row(report_table *table, const json_t *event, int clips) {
    char start[32], end[32];
    put_clock(start, report_real(event, "start"));
    put_clock(end, report_real(event, "end"));
    report_cell(table, "%.0f", report_real(event, "event"));
    report_cell(table, "%s", start);
    report_cell(table, "%s", end);
    report_cell(table, "%.1f", report_real(event, "moving"));
    report_cell(table, "%.0f\xe2\x80\x93%.0f", report_real(event, "first"),
                report_real(event, "last"));
    report_cell(table, "%.1f %%", 100 * report_real(event, "share"));
    report_cell(table, "%.0f", report_real(event, "objects"));
    if (clips) report_cell_link(table, report_string(report_item(event, "clips", 0), "file"));
}

int report_video_events(FILE *to, const json_t *scores) {
    const json_t *result = report_result(scores, 0);
    const json_t *set = json_object_get(result, "event_settings");
    size_t count = report_length(result, "events");
    char caption[240];
    if (count == 0) return 0;
    int clips = report_length(report_item(result, "events", 0), "clips") > 0;
    snprintf(
        caption, sizeof caption,
        "Events: at least %g s of movement, pauses of up to %g s, %g s added before and after%s",
        report_real(set, "length"), report_real(set, "gap"), report_real(set, "margin"),
        count > ROWS_MAX ? "; the table shows the first 100, and scores.json has all" : "");
    static const char heads[] = "#event|#start|#end|#moving, s|#frames|#most|#objects";
    static const char with_clips[] = "#event|#start|#end|#moving, s|#frames|#most|#objects|clip";
    report_table table = report_table_begin(to, caption, clips ? with_clips : heads);
    for (size_t i = 0; i < count && i < ROWS_MAX; i++)
        write_row(&table, report_item(result, "events", i), clips);
    report_table_end(&table);
    return 1;
}

void report_video_marks(FILE *to, const json_t *scores) {
    const json_t *result = report_result(scores, 0);
    size_t count = report_length(result, "events");
    fputs("\"events\":[", to);
    for (size_t i = 0; i < count && i < MARKS_MAX; i++) {
        const json_t *event = report_item(result, "events", i);
        fprintf(to, "%s[%.10g,%.10g,%.10g,%.10g]", i ? "," : "", report_real(event, "first"),
                report_real(event, "last"), report_real(event, "from"), report_real(event, "peak"));
    }
    fputs("],", to);
}

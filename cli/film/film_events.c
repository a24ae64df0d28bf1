/* Events as the commands report them. */
#include "film/film_events.h"
#include "common/try.h"
#include "options/option_values.h"

enum { EVENTS_MOST = 100000 }; /* of a stream that may never end: 12 MB */

/* ---- options ---- */

#define AT(field) .at = offsetof(cli_event_choice, field)
static const char group[] = "Events";
const cli_option_row cli_event_rows[] = {
    {group, "events", 0, NULL, AT(events),
     "report events, which are periods with movement, in a table and in events.csv. --cut and all "
     "options --event-... imply --events"},
    {group, "cut", 0, NULL, AT(cut),
     "write each event as a clip with sound, event_001.mp4 and so on. Video is copied without "
     "re-encoding, so a clip begins at the key frame before its event"},
    {group, "event-length", 0, "T", AT(length),
     "minimum time of movement in an event, as in 0.5s, 200ms or 2m (default 0.5s, which excludes "
     "flashes and insects)"},
    {group, "event-gap", 0, "T", AT(gap),
     "maximum time without movement inside an event (default 2s, for a person who pauses or passes "
     "behind a pillar)"},
    {group, "event-margin", 0, "T", AT(margin),
     "time that is added to an event before and after its movement; events that then overlap are "
     "merged (default 1s)"},
    {group, "event-share", 0, "S", AT(share),
     "minimum share of the picture that must move in an event, as in 0.02 or 2% (default: any "
     "object in the mask is enough)"},
    {0}};

static int take_time(const cli_session *session, double *seconds, const char *text,
                     const char *name) {
    if (!text) return EXIT_DONE;
    double value = cli_time_take(text);
    if (!(value >= 0 && value <= 1e6)) /* false for NaN */
        return cli_refuse("%s: --%s must be a time as in 0.5s, 200ms, 2m or 1h, at most 1000000s; "
                          "got '%s'",
                          session->options.command, name, text);
    *seconds = value;
    return EXIT_DONE;
}

static int take_share(const cli_session *session, double *share, const char *text) {
    char *end;
    if (!text) return EXIT_DONE;
    double value = strtod(text, &end);
    int percent = strcmp(end, "%") == 0;
    if (percent) value /= 100;
    if (end == text || (*end && !percent) || !(value >= 0 && value <= 1))
        return cli_refuse("%s: --event-share must be a fraction from 0 to 1 or a percentage, as in "
                          "0.02 or 2%%; got '%s'",
                          session->options.command, text);
    *share = value;
    return EXIT_DONE;
}

int cli_event_take(const cli_session *session, cli_event_choice *choice) {
    ch_event_settings *set = &choice->set;
    ch_event_defaults(set);
    TRY(take_time(session, &set->length, choice->length, "event-length"));
    TRY(take_time(session, &set->gap, choice->gap, "event-gap"));
    TRY(take_time(session, &set->margin, choice->margin, "event-margin"));
    TRY(take_share(session, &set->share, choice->share));
    choice->wanted = choice->events || choice->cut || choice->length || choice->gap ||
                     choice->margin || choice->share;
    return EXIT_DONE;
}

/* ---- finding them ---- */

int cli_events_begin(cli_events *events, const cli_session *session, const cli_event_choice *choice,
                     double rate) {
    *events = (cli_events){.session = session, .choice = choice, .space = rate > 0 ? 1 / rate : 0};
    return cli_check(session,
                     ch_event_finder_create(session->context, &events->finder, &choice->set));
}

static int append(cli_events *events, const ch_event *event) {
    if (events->count == EVENTS_MOST) {
        if (events->room++ == EVENTS_MOST)
            cli_complain(
                "warning: there are more than %d events; those after second %.0f are not listed",
                EVENTS_MOST, event->start);
        return EXIT_DONE;
    }
    if (events->count == events->room) {
        int64_t room = events->room ? 2 * events->room : 64;
        if (room > EVENTS_MOST) room = EVENTS_MOST;
        ch_event *more = realloc(events->list, (size_t)room * sizeof *more);
        if (!more) return cli_no_memory();
        events->list = more;
        events->room = room;
    }
    events->list[events->count++] = *event;
    return EXIT_DONE;
}

int cli_events_add(cli_events *events, const ch_activity *activity, int64_t index, double time) {
    ch_event event = {.size = sizeof event};
    int found = 0;
    if (events->frames++ > 0) events->space = time - events->last;
    events->last = time;
    TRY(cli_check(events->session,
                  ch_event_finder_add(events->finder, &event, &found, activity, index, time)));
    return found ? append(events, &event) : EXIT_DONE;
}

int cli_events_end(cli_events *events) {
    ch_event event = {.size = sizeof event};
    int found = 0;
    if (!events->finder) return EXIT_DONE;
    TRY(cli_check(events->session, ch_event_finder_finish(events->finder, &event, &found,
                                                          events->last + events->space)));
    return found ? append(events, &event) : EXIT_DONE;
}

void cli_events_free(cli_events *events) {
    ch_event_finder_destroy(events->finder);
    free(events->list);
    free(events->clips);
    events->clips = NULL;
    events->finder = NULL;
    events->list = NULL;
}

/* ---- reporting them ---- */

static json_t *clips_json(const cli_events *events, int64_t event) {
    json_t *list = json_array();
    for (int64_t c = 0; c < events->clip_count; c++) {
        const cli_event_clip *clip = &events->clips[c];
        if (clip->event == event)
            list = cli_json_append(list, cli_json_pack("file:s source:s start:r end:r", clip->name,
                                                       events->files[clip->file], clip->start,
                                                       clip->end));
    }
    return list;
}

json_t *cli_events_json(const cli_events *events) {
    json_t *list = json_array();
    for (int64_t i = 0; i < events->count; i++) {
        const ch_event *e = &events->list[i];
        list = cli_json_append(
            list,
            cli_json_pack("event:i start:r end:r from:r to:r moving:r first:i last:i frames:i "
                          "peak:i peak_time:r share:r objects:i clips:o",
                          i + 1, e->start, e->end, e->from, e->to, e->moving, e->first, e->last,
                          e->frames, e->peak, e->peak_time, e->share, e->objects,
                          clips_json(events, i)));
    }
    return cli_json_pack("events:o event_settings:T", list, ch_event_table(), &events->choice->set);
}

/* The names, with blanks between them, and from where to where they go together. */
static void put_clips(FILE *to, const cli_events *events, int64_t event) {
    const cli_event_clip *first = NULL, *last = NULL;
    for (int64_t c = 0; c < events->clip_count; c++) {
        if (events->clips[c].event != event) continue;
        last = &events->clips[c];
        fprintf(to, "%s%s", first ? " " : "", last->name);
        if (!first) first = last;
    }
    if (first)
        fprintf(to, ",%.3f,%.3f\n", first->start, last->end);
    else
        fputs(",,\n", to);
}

static void put_events(FILE *to, const void *user) {
    const cli_events *events = user;
    fputs("event,start,end,from,to,moving,first,last,frames,peak,peak_time,share,objects,"
          "clip,cut_start,cut_end\n",
          to);
    for (int64_t i = 0; i < events->count; i++) {
        const ch_event *e = &events->list[i];
        fprintf(to, "%lld,%.3f,%.3f,%.3f,%.3f,%.3f,%lld,%lld,%lld,%lld,%.3f,%.6f,%lld,",
                (long long)(i + 1), e->start, e->end, e->from, e->to, e->moving,
                (long long)e->first, (long long)e->last, (long long)e->frames, (long long)e->peak,
                e->peak_time, e->share, (long long)e->objects);
        put_clips(to, events, i);
    }
}

int cli_events_write(const cli_events *events, cli_folder *folder, const char *name) {
    if (!events->choice->wanted) return EXIT_DONE;
    return cli_folder_write(folder, name, put_events, events);
}

/* "1:02:03.4" */
static const char *clock_of(char text[32], double seconds) {
    long long tenths = (long long)(seconds * 10 + 0.5), whole = tenths / 10;
    snprintf(text, 32, "%lld:%02lld:%02lld.%lld", whole / 3600, whole / 60 % 60, whole % 60,
             tenths % 10);
    return text;
}

static void print_clips(FILE *to, const cli_events *events, int64_t event) {
    char a[32];
    for (int64_t c = 0; c < events->clip_count; c++)
        if (events->clips[c].event == event)
            fprintf(to, "  %s from %s", events->clips[c].name, clock_of(a, events->clips[c].start));
    fputc('\n', to);
}

void cli_events_print(FILE *to, const cli_events *events) {
    const ch_event_settings *set = &events->choice->set;
    char a[32], b[32], c[32];
    if (!events->choice->wanted) return;
    fprintf(to,
            "  %lld event%s: at least %g s of movement, pauses of up to %g s, %g s added before "
            "and after\n",
            (long long)events->count, events->count == 1 ? "" : "s", set->length, set->gap,
            set->margin);
    if (events->count)
        fprintf(to, "  %5s %11s %11s %9s %17s %11s %8s %7s\n", "event", "start", "end", "moving",
                "frames", "most at", "share", "objects");
    for (int64_t i = 0; i < events->count; i++) {
        const ch_event *e = &events->list[i];
        char frames[48];
        snprintf(frames, sizeof frames, "%lld-%lld", (long long)e->first, (long long)e->last);
        fprintf(to, "  %5lld %11s %11s %7.1f s %17s %11s %6.1f %% %7lld", (long long)(i + 1),
                clock_of(a, e->start), clock_of(b, e->end), e->moving, frames,
                clock_of(c, e->peak_time), 100 * e->share, (long long)e->objects);
        print_clips(to, events, i);
    }
}

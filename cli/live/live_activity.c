/* The activity in each frame of a stream. A line is added to activity.csv for every frame. The page
 * gets a curve of at most POINTS points, each for a stretch of frames; the length of the stretches
 * doubles when there are too many, so that memory does not grow with the stream. */
#include "live/live_command.h"

enum { POINTS = LIVE_CURVE_POINTS };

static int put(live_activity *activity, const char *text, size_t length) {
    ch_status status = ch_output_file_write(activity->file, text, length);
    if (status >= 0) return EXIT_DONE;
    ch_output_file_discard(activity->file);
    activity->file = NULL;
    char *path = activity->path;
    activity->path = NULL;
    return cli_folder_end(activity->folder, path, status);
}

int live_activity_open(live_activity *activity, cli_folder *folder) {
    static const char head[] = "frame,time,foreground,share,objects,left,top,right,bottom\n";
    activity->folder = folder;
    activity->spacing = 1;
    TRY(cli_folder_begin(folder, &activity->path, "activity.csv"));
    ch_status status =
        ch_output_file_open(folder->session->context, &activity->file, activity->path);
    if (status < 0) {
        char *path = activity->path;
        activity->path = NULL;
        return cli_folder_end(folder, path, status);
    }
    return put(activity, head, sizeof head - 1);
}

/* Joins stretches in pairs. A pair keeps the first frame of its first stretch and the larger
 * activity of the two. */
static void thin_out(live_activity *activity) {
    struct live_point *points = activity->points;
    for (int64_t k = 0; 2 * k < activity->count; k++) {
        points[k] = points[2 * k];
        if (2 * k + 1 == activity->count) continue;
        const struct live_point *other = &points[2 * k + 1];
        if (other->share > points[k].share) points[k].share = other->share;
        if (other->objects > points[k].objects) points[k].objects = other->objects;
    }
    activity->count = (activity->count + 1) / 2;
    activity->spacing *= 2;
}

static void add_point(live_activity *activity, const ch_activity *now, const cli_moment *moment) {
    if (activity->rows % activity->spacing == 0 && activity->count == POINTS) thin_out(activity);
    if (activity->rows++ % activity->spacing == 0)
        activity->points[activity->count++] =
            (struct live_point){.index = moment->index, .time = moment->time};
    struct live_point *point = &activity->points[activity->count - 1];
    if (now->share > point->share) point->share = now->share;
    if (now->objects > point->objects) point->objects = now->objects;
}

int live_activity_add(live_activity *activity, const ch_activity *now, const cli_moment *moment) {
    char line[200];
    add_point(activity, now, moment);
    if (!activity->file) return EXIT_DONE;
    int length = snprintf(line, sizeof line, "%lld,%.3f,%lld,%.6f,%lld,%lld,%lld,%lld,%lld\n",
                          (long long)moment->index, moment->time, (long long)now->foreground,
                          now->share, (long long)now->objects, (long long)now->left,
                          (long long)now->top, (long long)now->right, (long long)now->bottom);
    return put(activity, line, (size_t)length);
}

int live_activity_close(live_activity *activity, int code) {
    char *path = activity->path;
    ch_output_file *file = activity->file;
    activity->path = NULL;
    activity->file = NULL;
    if (!path || !file) return code;
    if (code == EXIT_DONE)
        return cli_folder_end(activity->folder, path, ch_output_file_commit(file));
    ch_output_file_discard(file);
    free(path);
    return code;
}

json_t *live_activity_json(const live_activity *activity) {
    json_t *index = json_array(), *time = json_array(), *share = json_array(),
           *objects = json_array();
    for (int64_t k = 0; k < activity->count; k++) {
        const struct live_point *point = &activity->points[k];
        index = cli_json_append(index, json_integer(point->index));
        time = cli_json_append(time, cli_json_real(point->time));
        share = cli_json_append(share, cli_json_real(point->share));
        objects = cli_json_append(objects, json_integer(point->objects));
    }
    return cli_json_pack("index:o time:o activity:{share:o objects:o}", index, time, share,
                         objects);
}

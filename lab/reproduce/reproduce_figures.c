/* The table of figures: those of the paper, and those of all methods. */
#include "reproduce/reproduce.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECOVERY(plan, beyond)                                                                     \
    plan, NULL, NULL, recovery_count, recovery_key, NULL, NULL, recovery_compute, recovery_settle, \
        recovery_table, recovery_picture, recovery_caption, beyond
#define EXEMPLARS(plan, needs, source)                                                    \
    plan, needs, source, exemplars_count, exemplars_key, exemplars_open, exemplars_close, \
        exemplars_compute, exemplars_settle, exemplars_table, exemplars_picture,          \
        exemplars_caption, 0
#define VIDEO(plan, needs)                                                                     \
    plan, needs, video_source, video_count, video_key, video_open, video_close, video_compute, \
        video_settle, video_table, video_picture, video_caption, 0

static const char recovery_caption[] = "Anchors are chosen from shuffled columns. Lines end at "
                                       "their names; the table has more methods.";
static const char exemplars_caption[] =
    "Documents scaled to sum 1 are chosen from one half; a linear SVM is trained on them and tried "
    "on the other half. The dotted line is that of an SVM trained on the whole half.";

static const char *const reuters_files[] = {"text/reuters10/reuters10.mtx.gz",
                                            "text/reuters10/reuters10.labels", NULL};
static const char reuters_source[] =
    "term counts of the ten largest classes of Reuters-21578 (18221 x 7285) as Matrix Market, and "
    "a file with a class per line; docs/reproduction.md says how they were made";
static const char *const bbc_files[] = {"text/bbc/bbc.mtx.gz", "text/bbc/bbc.labels", NULL};
static const char bbc_source[] =
    "term counts of the BBC news collection of Greene and Cunningham (9635 x 2225) as Matrix "
    "Market, and a file with a class per line; docs/reproduction.md says how they were made";
static const char video_caption[] =
    "Each line is a method with the parameter, named behind it, whose area under the curve is "
    "largest; the number is that area. Units of \xce\xbb are 1/sqrt(max(frames, pixels)).";
static const char *const restaurant_files[] = {"video/restaurant/frames.mkv", "video/restaurant/gt",
                                               NULL};
static const char *const hall_files[] = {"video/airport_hall/frames.mkv", "video/airport_hall/gt",
                                         NULL};
static const char *const lobby_files[] = {"video/lobby/frames.mkv", "video/lobby/gt", NULL};
static const char video_source[] =
    "frames and masks (N.png for frame N, from 0) of the I2R sequences of Li, Huang, Gu and Tian; "
    "docs/reproduction.md says how they were made";

const repro_figure repro_figures[] = {
    {"recovery-l1", "recovery-l1", "Anchor recovery under sparse noise", RECOVERY(&recovery_l1, 0)},
    {"recovery-is", "recovery-is", "Anchor recovery under exponential noise",
     RECOVERY(&recovery_is, 0)},
    {"recovery-kl", "recovery-kl", "Anchor recovery under Poisson noise",
     RECOVERY(&recovery_kl, 0)},
    {"exemplars-reuters", "exemplars", "Exemplars of Reuters news",
     EXEMPLARS(&exemplars_reuters, reuters_files, reuters_source)},
    {"exemplars-bbc", "exemplars", "Exemplars of BBC news",
     EXEMPLARS(&exemplars_bbc, bbc_files, bbc_source)},
    {"video-restaurant", "video", "Foreground of Restaurant",
     VIDEO(&video_restaurant, restaurant_files)},
    {"video-hall", "video", "Foreground of Airport Hall", VIDEO(&video_hall, hall_files)},
    {"video-lobby", "video", "Foreground of Lobby", VIDEO(&video_lobby, lobby_files)},
    {"selectors-sparse", "selectors", "Every method under sparse noise that adds",
     RECOVERY(&selectors_sparse, 1)},
    {"selectors-two-sided", "selectors", "Every method under sparse noise of both signs",
     RECOVERY(&selectors_two_sided, 1)},
    {"selectors-outliers", "selectors", "Every method under gross outliers",
     RECOVERY(&selectors_outliers, 1)},
    {"selectors-exponential", "selectors", "Every method under exponential noise",
     RECOVERY(&selectors_exponential, 1)},
    {"selectors-poisson", "selectors", "Every method under Poisson noise",
     RECOVERY(&selectors_poisson, 1)},
    {"selectors-gaussian", "selectors", "Every method under Gaussian noise",
     RECOVERY(&selectors_gaussian, 1)},
    {.name = NULL},
};

int repro_left_out(const repro_run *run, int64_t number) {
    if (run->slow) return number >= run->slow;
    return run->quick && number > 0;
}

int repro_wanted(const repro_figure *figure, const char *word) {
    return (strcmp(word, "all") == 0 && !figure->beyond) || strcmp(word, figure->experiment) == 0 ||
           strcmp(word, figure->name) == 0;
}

static int is_there(const char *folder, const char *name) {
    char *path = NULL;
    if (!folder || asprintf(&path, "%s/%s", folder, name) < 0) return 0;
    int there = access(path, R_OK) == 0;
    free(path);
    return there;
}

const char *repro_missing(const repro_figure *figure, const repro_run *run) {
    for (const char *const *name = figure->needs; name && *name; name++)
        if (!is_there(run->data, *name)) return *name;
    return NULL;
}

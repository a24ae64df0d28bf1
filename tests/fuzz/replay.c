/* Fuzz targets on inputs that are there: seeds, and what was found once.
 *
 *     replay TARGET FILE|FOLDER...      one target
 *     replay --all FOLDER...            every target on FOLDER/NAME, where that is there */
#include "fuzz.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DECLARE(name) fuzz_target fuzz_##name;
FUZZ_TARGETS(DECLARE)

#define ROW(name) {#name, fuzz_##name},
static const struct {
    const char *name;
    fuzz_target *run;
} targets[] = {FUZZ_TARGETS(ROW)};
enum { TARGETS = sizeof targets / sizeof *targets };

static int files;

static void replay_file(fuzz_target *run, const char *path) {
    FILE *file = fopen(path, "rb");
    struct stat facts;
    fuzz_require(file && fstat(fileno(file), &facts) == 0, "%s cannot be read", path);
    size_t count = (size_t)facts.st_size;
    uint8_t *bytes = malloc(count + 1);
    fuzz_require(bytes && fread(bytes, 1, count, file) == count, "%s cannot be read", path);
    fclose(file);
    printf("%s\n", path); /* the last one named is the one that failed */
    fflush(stdout);
    run(bytes, count);
    free(bytes);
    files++;
}

static void replay(fuzz_target *run, const char *path) {
    struct dirent **entries;
    struct stat facts;
    fuzz_require(stat(path, &facts) == 0, "%s is not there", path);
    if (!S_ISDIR(facts.st_mode)) {
        replay_file(run, path);
        return;
    }
    int count = scandir(path, &entries, NULL, alphasort);
    fuzz_require(count >= 0, "%s cannot be listed", path);
    for (int e = 0; e < count; e++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[e]->d_name);
        if (entries[e]->d_name[0] != '.') replay_file(run, name);
        free(entries[e]);
    }
    free(entries);
}

static void replay_all(const char *folder) {
    for (int t = 0; t < TARGETS; t++) {
        char name[4096];
        struct stat facts;
        snprintf(name, sizeof name, "%s/%s", folder, targets[t].name);
        if (stat(name, &facts) == 0) replay(targets[t].run, name);
    }
}

int main(int count, char **words) {
    fuzz_target *run = NULL;
    int all = count > 1 && strcmp(words[1], "--all") == 0;
    for (int t = 0; t < TARGETS && count > 1; t++)
        if (strcmp(words[1], targets[t].name) == 0) run = targets[t].run;
    if (count < 3 || (!all && !run)) {
        fputs("usage: replay TARGET|--all FILE|FOLDER...\n", stderr);
        return 2;
    }
    for (int w = 2; w < count; w++)
        if (all)
            replay_all(words[w]);
        else
            replay(run, words[w]);
    printf("%d inputs\n", files);
    return files ? 0 : 1;
}

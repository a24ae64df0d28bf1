/* units.jsonl: first a line that says which build on which processor wrote it, then a line
 * {"unit": key, "outcome": value} per unit. Lines are appended by one write() each; a last line
 * without its end, as a crash leaves it, is cut off. */
#include "common/exit_codes.h"
#include "common/input_guard.h"
#include "common/json.h"
#include "common/message.h"
#include "common/output_folder.h"
#include "lab.h"
#include "reproduce/reproduce.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char file_name[] = "units.jsonl";

static int file_error(const char *path) {
    return cli_error(EXIT_FILES, "%s: %s", path, strerror(errno));
}

static int append(int file, json_t *line) {
    char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    json_decref(line);
    if (!text) return cli_no_memory();
    size_t length = strlen(text), done = 0;
    text[length++] = '\n'; /* in place of the terminating zero */
    while (done < length) {
        ssize_t wrote = write(file, text + done, length - done);
        if (wrote < 0 && errno != EINTR) break;
        if (wrote > 0) done += (size_t)wrote;
    }
    free(text);
    return done == length ? EXIT_DONE : file_error(file_name);
}

/* What must be the same for outcomes to be comparable. */
static json_t *origin(const repro_run *run) {
    lab_machine found = lab_find_machine(run->session->context);
    json_t *machine = lab_machine_json(&found);
    json_object_del(machine, "threads"); /* any number gives the same answer */
    return machine;
}

/* The lines as far as they are whole; *whole: their length in bytes. */
static void take_lines(repro_store *store, FILE *from, long *whole) {
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, from)) > 0 && line[length - 1] == '\n') {
        json_t *entry = json_loadb(line, (size_t)length, 0, NULL);
        const char *key = repro_text(entry, "unit");
        json_t *outcome = json_object_get(entry, "outcome");
        if (key[0] && outcome) json_object_set(store->units, key, outcome);
        json_decref(entry);
        *whole = ftell(from);
    }
    free(line);
}

static int same_origin(FILE *from, const json_t *expected) {
    char *line = NULL;
    size_t room = 0;
    ssize_t length = getline(&line, &room, from);
    json_t *seen = length > 0 ? json_loadb(line, (size_t)length, 0, NULL) : NULL;
    int same = json_equal(seen, expected);
    json_decref(seen);
    free(line);
    return same;
}

int repro_store_open(repro_store *store, const repro_run *run) {
    json_t *expected = origin(run);
    char *path = cli_path_join(run->folder, file_name);
    int code = EXIT_DONE;
    long whole = 0;
    store->file = -1;
    store->units = json_object();
    if (!expected || !path || !store->units) code = cli_no_memory();
    if (code == EXIT_DONE) code = cli_refuse_special(path);
    FILE *from = code == EXIT_DONE ? fopen(path, "r") : NULL;
    if (code == EXIT_DONE && !from && errno != ENOENT) code = file_error(path);
    if (from && same_origin(from, expected)) {
        whole = ftell(from);
        take_lines(store, from, &whole);
    } else if (from && !ferror(from) && !run->session->common.quiet) {
        cli_complain("%s: the stored results belong to another build or processor, so all parts "
                     "are computed again",
                     path);
    }
    if (from && ferror(from)) code = file_error(path); /* cut off below, the rest would be lost */
    if (from) fclose(from);
    if (code == EXIT_DONE) {
        store->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (store->file < 0 || ftruncate(store->file, whole) != 0) code = file_error(path);
    }
    if (code == EXIT_DONE && whole == 0) code = append(store->file, json_incref(expected));
    json_decref(expected);
    free(path);
    return code;
}

int repro_store_add(repro_store *store, const char *key, json_t *value) {
    if (json_object_set(store->units, key, value) != 0) return cli_no_memory();
    return append(store->file, json_pack("{ss sO}", "unit", key, "outcome", value));
}

void repro_store_close(repro_store *store) {
    json_decref(store->units);
    if (store->file >= 0) close(store->file);
}

/* The files of a folder in one archive, by the writer of .npz files. */
#include "io/file/format.h"
#include "page.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct packing {
    const char *folder;
    char **names;
    int count;
    void *body; /* of the member that was described last */
} packing;

static void *load(const char *path, int64_t *bytes) {
    struct stat facts;
    int fd = open(path, O_RDONLY);
    *bytes = 0;
    if (fd < 0 || fstat(fd, &facts) != 0) return NULL;
    char *block = malloc((size_t)facts.st_size + 1);
    while (block && *bytes < facts.st_size) {
        ssize_t got = read(fd, block + *bytes, (size_t)(facts.st_size - *bytes));
        if (got <= 0) break;
        *bytes += got;
    }
    close(fd);
    return block;
}

static void describe(void *user, int i, chi_zip_member *member) {
    packing *p = user;
    char path[512];
    free(p->body);
    snprintf(path, sizeof path, "%s/%s", p->folder, p->names[i]);
    snprintf(member->name, sizeof member->name, "%s", p->names[i]);
    member->head_bytes = 0;
    member->body = p->body = load(path, &member->body_bytes);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

EMSCRIPTEN_KEEPALIVE int page_zip(const char *folder, const char *to) {
    struct dirent **entries;
    int count = scandir(folder, &entries, is_visible, by_name);
    packing p = {.folder = folder, .count = count > 0 ? count : 0};
    ch_output_file *output;
    ch_status status = CH_ERR_IO;
    ch_context *context;
    if (count <= 0 || ch_context_create(&context, NULL) < 0) return 0;
    p.names = calloc((size_t)count, sizeof *p.names);
    for (int i = 0; i < count && p.names; i++) p.names[i] = entries[i]->d_name;
    if (p.names) status = ch_output_file_open(context, &output, to);
    if (status == CH_OK)
        status = chi_output_close(output, chi_zip_write(context, output, to, count, describe, &p));
    for (int i = 0; i < count; i++) free(entries[i]);
    free(entries);
    free(p.names);
    free(p.body);
    ch_context_destroy(context);
    return status == CH_OK;
}

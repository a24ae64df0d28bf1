/* Records of a run in one file (conehull/checkpoint.h), which only grows:
 *
 *     "conehull checkpoint 2\n\0\0"              24 bytes
 *     records: kind, bytes, contents, checksum   64 bits each, and the bytes of the record
 *
 * The checksum (XXH3) covers kind, bytes and contents, with the checksum of the previous record as
 * seed. Nothing is overwritten and there is no second file, so after a kill at any moment all
 * earlier records are intact, and perhaps a part of the last one is there. Its length or checksum
 * shows that it is incomplete, and it is cut off when the run resumes. Written records survive the
 * end of the process. To survive a crash of the machine they are synced (fdatasync), at most every
 * SYNC_SECONDS; what the disk lost is computed again. Numbers are in the machine's byte order.
 *
 * A lock excludes a second run. The lock belongs to the open file, not to its name. Whoever has it
 * must still compare both, because the run before may have removed the name, and a user may have
 * moved the file and begun another one under its name.
 *
 * The first record identifies the run. Alone it holds no work, so such a file counts as empty. */
#include "io/file/format.h"
#include <conehull/io.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char mark[24] = "conehull checkpoint 2\n";
enum { VERSION_AT = 20 }; /* offset of the version in the mark; version 1 had another checksum */
static const double SYNC_SECONDS = 10;
enum { CHUNK = 1 << 18, KIND_MAX = 255 };

typedef struct head {
    int64_t kind, bytes;
} head;

typedef struct place {
    int64_t kind, offset, bytes; /* of the contents */
    uint64_t check;
} place;

struct ch_checkpoint_file {
    ch_checkpoint table;
    ch_context *context;
    char *path;
    int fd;
    int failed;     /* a write failed: the file must not be used any more */
    place *records; /* the records found                                  */
    int64_t count, capacity;
    int64_t added; /* records added by this run                      */
    int64_t taken; /* index of the next record to take               */
    int64_t size;  /* of the file                                    */
    int64_t end;   /* end of the last valid record, and its checksum */
    uint64_t check;
    void *contents; /* of the record taken last   */
    double synced;  /* time of the last sync      */
    int64_t filled; /* bytes in the current chunk */
    unsigned char chunk[CHUNK];
};

static ch_status fail(const ch_checkpoint_file *file, const char *verb) {
    return chi_fail_system(file->context, file->path, verb);
}

static uint64_t begin_check(const ch_checkpoint_file *file, const head *h) {
    return chi_hash(file->check, h, sizeof *h);
}

/* ---- reading ------------------------------------------------------------------------------- */

static ch_status read_at(const ch_checkpoint_file *file, void *bytes, int64_t count,
                         int64_t offset) {
    return chi_get(file->context, file->path, file->fd, bytes, count, offset);
}

/* Reads the record at file->end, if it is complete. */
static ch_status look_at_record(ch_checkpoint_file *file, int *whole) {
    head h;
    uint64_t stored;
    int64_t left = file->size - file->end - (int64_t)(sizeof h + sizeof stored);
    *whole = 0;
    if (left < 0) return CH_OK;
    TRY(read_at(file, &h, sizeof h, file->end));
    if (h.kind < 1 || h.kind > KIND_MAX || h.bytes < 0 || h.bytes > left) return CH_OK;
    place record = {h.kind, file->end + (int64_t)sizeof h, h.bytes, begin_check(file, &h)};
    for (int64_t at = 0; at < h.bytes; at += CHUNK) {
        int64_t count = h.bytes - at < CHUNK ? h.bytes - at : CHUNK;
        TRY(read_at(file, file->chunk, count, record.offset + at));
        record.check = chi_hash(record.check, file->chunk, (size_t)count);
    }
    TRY(read_at(file, &stored, sizeof stored, record.offset + h.bytes));
    if (stored != record.check) return CH_OK;
    if (file->count == file->capacity)
        TRY(chi_array_double(file->context, &file->records, &file->capacity, file->count,
                             sizeof *file->records, file->path, "the records"));
    file->records[file->count++] = record;
    file->end = record.offset + h.bytes + (int64_t)sizeof stored;
    file->check = stored;
    *whole = 1;
    return CH_OK;
}

/* Refuses a file that begins differently. */
static ch_status refuse(const ch_checkpoint_file *file, const char begin[sizeof mark]) {
    char version = begin[VERSION_AT], own = mark[VERSION_AT];
    if (memcmp(begin, mark, VERSION_AT) == 0 && version >= '0' && version <= '9' && version != own)
        return chi_fail(file->context, CH_ERR_FORMAT,
                        "%s: the checkpoint has format version %c, but this conehull reads version "
                        "%c; finish the run with the conehull that began it, or remove the file",
                        file->path, version, own);
    return chi_fail(
        file->context, CH_ERR_FORMAT,
        "%s: this file is not a checkpoint, so it was not changed; give the name of another file",
        file->path);
}

/* Reads all records up to the first incomplete one. */
static ch_status look(ch_checkpoint_file *file) {
    char begin[sizeof mark] = {0};
    int64_t known = file->size < (int64_t)sizeof mark ? file->size : (int64_t)sizeof mark;
    TRY(read_at(file, begin, known, 0));
    if (memcmp(begin, mark, (size_t)known) != 0) return refuse(file, begin);
    if (known < (int64_t)sizeof mark) return CH_OK; /* killed before the first record */
    int whole = 1;
    file->end = known;
    while (whole && file->end < file->size) TRY(look_at_record(file, &whole));
    if (!whole)
        chi_log(file->context, CH_LOG_INFO,
                "%s: the last %lld bytes of the checkpoint are incomplete; that part of the run is "
                "computed again",
                file->path, (long long)(file->size - file->end));
    return CH_OK;
}

static int64_t find(const ch_checkpoint_file *file, int kind) {
    int64_t at = file->taken;
    while (at < file->count && file->records[at].kind != kind) at++;
    return at;
}

static int has(void *user, int kind) {
    const ch_checkpoint_file *file = user;
    return find(file, kind) < file->count;
}

static ch_status take(void *user, const void **bytes, int64_t *count, int kind) {
    ch_checkpoint_file *file = user;
    int64_t at = find(file, kind);
    if (at == file->count)
        return chi_fail(file->context, CH_ERR_ARGUMENT,
                        "%s: the checkpoint contains no record of the requested kind (%d)",
                        file->path, kind);
    const place *record = &file->records[at];
    chi_free(file->context, file->contents);
    file->contents = chi_take(file->context, file->path, "a record", record->bytes, 1);
    if (!file->contents) return CH_ERR_MEMORY;
    TRY(read_at(file, file->contents, record->bytes, record->offset));
    file->taken = at + 1;
    *bytes = file->contents;
    *count = record->bytes;
    return CH_OK;
}

/* ---- writing ------------------------------------------------------------------------------- */

static ch_status write_out(ch_checkpoint_file *file, const void *bytes, int64_t count) {
    int64_t put = (int64_t)chi_put(file->fd, bytes, (size_t)count, file->size);
    file->size += put;
    if (put == count) return CH_OK;
    file->failed = 1;
    return fail(file, "the checkpoint cannot be written");
}

static ch_status flush(ch_checkpoint_file *file) {
    int64_t count = file->filled;
    if (count == 0) return CH_OK;
    file->filled = 0;
    file->check = chi_hash(file->check, file->chunk, (size_t)count);
    return write_out(file, file->chunk, count);
}

static ch_status write_piece(ch_checkpoint_file *file, const ch_record_piece *piece) {
    const unsigned char *from = piece->bytes;
    for (int64_t left = piece->count; left > 0;) {
        int64_t count = left < CHUNK - file->filled ? left : CHUNK - file->filled;
        memcpy(file->chunk + file->filled, from, (size_t)count);
        file->filled += count;
        from += count;
        left -= count;
        if (file->filled == CHUNK) TRY(flush(file));
    }
    return CH_OK;
}

/* Keeps only the first `count` of the records found. */
static void keep_first(ch_checkpoint_file *file, int64_t count) {
    if (count == file->count) return;
    const place *last = count ? &file->records[count - 1] : NULL;
    file->count = count;
    file->end =
        last ? last->offset + last->bytes + (int64_t)sizeof last->check : (int64_t)sizeof mark;
    file->check = last ? last->check : 0;
}

/* Removes the records that were not taken, and everything after the last complete one. */
static ch_status forget_rest(ch_checkpoint_file *file) {
    keep_first(file, file->taken);
    if (file->size != file->end && ftruncate(file->fd, (off_t)file->end))
        return fail(file, "the checkpoint cannot be written");
    file->size = file->end;
    return file->size == 0 ? write_out(file, mark, sizeof mark) : CH_OK;
}

static ch_status sync_now_and_then(ch_checkpoint_file *file) {
    double now = chi_seconds();
    if (now - file->synced < SYNC_SECONDS) return CH_OK;
    file->synced = now;
    return fdatasync(file->fd) ? fail(file, "the checkpoint cannot be written") : CH_OK;
}

static ch_status add(void *user, const ch_record_piece *pieces, int count, int kind) {
    ch_checkpoint_file *file = user;
    head h = {.kind = kind};
    if (file->failed)
        return chi_fail(
            file->context, CH_ERR_IO,
            "%s: nothing more can be written to this file, because an earlier write failed",
            file->path);
    if (kind < 1 || kind > KIND_MAX)
        return chi_fail(file->context, CH_ERR_ARGUMENT,
                        "the kind of a checkpoint record must be from 1 to %d, got %d", KIND_MAX,
                        kind);
    TRY(forget_rest(file));
    for (int i = 0; i < count; i++) h.bytes += pieces[i].count;
    file->check = begin_check(file, &h);
    TRY(write_out(file, &h, sizeof h));
    for (int i = 0; i < count; i++) TRY(write_piece(file, &pieces[i]));
    TRY(flush(file));
    TRY(write_out(file, &file->check, sizeof file->check));
    file->end = file->size;
    file->added++;
    return sync_now_and_then(file);
}

/* ---- the file ------------------------------------------------------------------------------ */

/* Returns whether the path still leads to the open file. */
static int is_in_place(const ch_checkpoint_file *file) {
    struct stat own, there;
    return fstat(file->fd, &own) == 0 && stat(file->path, &there) == 0 &&
           own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

static ch_status open_and_lock(ch_checkpoint_file *file) {
    struct stat facts;
    file->fd = open(file->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (file->fd < 0) return fail(file, "cannot open");
    if (fstat(file->fd, &facts)) return fail(file, "cannot read");
    if (!S_ISREG(facts.st_mode))
        return chi_fail(file->context, CH_ERR_ARGUMENT,
                        "%s: a checkpoint must be a regular file, not a folder, a pipe or a device",
                        file->path);
    if (flock(file->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return chi_fail(file->context, CH_ERR_ARGUMENT,
                        "%s: another run is using this checkpoint; wait for it, or give the name "
                        "of another file",
                        file->path);
    return CH_OK;
}

static ch_status open_file(ch_checkpoint_file *file, int resume) {
    struct stat facts;
    TRY(open_and_lock(file));
    /* The run before may have removed it between our opening and our lock. */
    for (int attempt = 0; attempt < 1000 && !is_in_place(file); attempt++) {
        close(file->fd);
        TRY(open_and_lock(file));
    }
    if (fstat(file->fd, &facts)) return fail(file, "cannot read");
    file->size = (int64_t)facts.st_size;
    TRY(look(file));
    if (file->count == 1) keep_first(file, 0);
    if (!resume && file->count > 0)
        return chi_fail(file->context, CH_ERR_ARGUMENT,
                        "%s: this checkpoint belongs to a run that was not finished; resume that "
                        "run (--resume), or remove the file",
                        file->path);
    return CH_OK;
}

static void release(ch_checkpoint_file *file) {
    if (file->fd >= 0) close(file->fd);
    chi_free(file->context, file->contents);
    chi_free(file->context, file->records);
    chi_free(file->context, file->path);
    chi_free(file->context, file);
}

ch_status ch_checkpoint_file_open(ch_context *context, ch_checkpoint_file **file, const char *path,
                                  int resume) {
    if (!context || !file) return CH_ERR_ARGUMENT;
    TRY(chi_check_name(context, path, "a file"));
    ch_checkpoint_file *made = chi_alloc_zero(context, 1, sizeof *made);
    if (!made) return chi_no_memory(context, "a checkpoint", 1, sizeof *made);
    made->context = context;
    made->path = chi_text_copy(context, path);
    made->fd = -1;
    made->synced = chi_seconds();
    made->table = (ch_checkpoint){sizeof(ch_checkpoint), made, made->path, has, take, add, 0};
    ch_status status = made->path ? open_file(made, resume)
                                  : chi_no_memory(context, "a checkpoint", 1, sizeof *made);
    if (status < 0)
        release(made);
    else
        *file = made;
    return status;
}

const ch_checkpoint *ch_checkpoint_file_interface(const ch_checkpoint_file *file) {
    return &file->table;
}

int64_t ch_checkpoint_file_records(const ch_checkpoint_file *file) {
    return file->count + file->added;
}

ch_status ch_checkpoint_file_close(ch_checkpoint_file *file, int finished) {
    if (!file) return CH_OK;
    ch_status status = CH_OK;
    int remove = finished || file->count + file->added < 2;
    int own = remove && is_in_place(file);
    if (own && unlink(file->path) && errno != ENOENT) status = fail(file, "cannot remove");
    if (!remove && fdatasync(file->fd)) status = fail(file, "the checkpoint cannot be written");
    release(file);
    return status;
}

/* Decompresses a gzip file in a separate thread, some blocks ahead of the caller, who parses
 * earlier ones. Order, end and failure are those of chi_gz_read(); the memory is that of the
 * blocks. The thread calls no callback, because files do not block. */
#include "base/bounded_queue.h"
#include "base/thread_start.h"
#include "io/file/format.h"
#include <string.h>

enum { BLOCKS = 4, BLOCK_BYTES = 1 << 18 };

typedef struct block {
    int got;        /* the return value of chi_gz_read()        */
    int64_t offset; /* file offset after the bytes of the block */
    unsigned char bytes[BLOCK_BYTES];
} block;

struct chi_ahead {
    ch_context *context;
    chi_gz *file; /* owned by the thread until a block with got <= 0 was taken */
    chi_queue queue;
    pthread_t thread;
    const block *now; /* the current block, or NULL   */
    int used;         /* bytes of it already returned */
    int ended;        /* the last block was taken ... */
    int end;          /* ... with this value of got   */
    int64_t offset;
    block blocks[BLOCKS];
};

static void *unpack_all(void *user) {
    chi_ahead *ahead = user;
    int got = 1, place;
    while (got > 0 && (place = chi_queue_place(&ahead->queue)) >= 0) {
        block *next = &ahead->blocks[place];
        got = next->got = chi_gz_read(ahead->file, next->bytes, BLOCK_BYTES);
        next->offset = chi_gz_offset(ahead->file);
        chi_queue_put(&ahead->queue);
    }
    return NULL;
}

chi_ahead *chi_ahead_start(ch_context *context, chi_gz *file) {
    chi_ahead *ahead = chi_alloc(context, 1, sizeof *ahead);
    if (!ahead) return NULL;
    memset(ahead, 0, offsetof(chi_ahead, blocks));
    ahead->context = context;
    ahead->file = file;
    ahead->offset = chi_gz_offset(file);
    chi_queue_create(&ahead->queue, BLOCKS);
    if (chi_thread_start(&ahead->thread, unpack_all, ahead)) return ahead;
    chi_queue_destroy(&ahead->queue);
    chi_free(context, ahead);
    return NULL;
}

void chi_ahead_stop(chi_ahead *ahead) {
    if (!ahead) return;
    chi_queue_close(&ahead->queue);
    pthread_join(ahead->thread, NULL);
    chi_queue_destroy(&ahead->queue);
    chi_free(ahead->context, ahead);
}

/* Moves to the next block; returns 0 if there is none. */
static int take_block(chi_ahead *ahead) {
    if (ahead->ended) return 0;
    const block *next = &ahead->blocks[chi_queue_take(&ahead->queue, 0)];
    ahead->offset = next->offset;
    ahead->ended = next->got <= 0;
    ahead->end = next->got;
    ahead->used = 0;
    ahead->now = ahead->ended ? NULL : next;
    return !ahead->ended;
}

int chi_ahead_read(chi_ahead *ahead, void *bytes, int64_t count) {
    int64_t done = 0;
    while (done < count && (ahead->now || take_block(ahead))) {
        int64_t left = ahead->now->got - ahead->used,
                most = left < count - done ? left : count - done;
        memcpy((char *)bytes + done, ahead->now->bytes + ahead->used, (size_t)most);
        done += most;
        ahead->used += (int)most;
        if (most < left) break;
        ahead->now = NULL;
        chi_queue_free(&ahead->queue);
    }
    return done > 0 ? (int)done : ahead->end;
}

int64_t chi_ahead_offset(const chi_ahead *ahead) {
    return ahead->offset;
}

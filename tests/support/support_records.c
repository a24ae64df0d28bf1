#include "support_records.h"
#include <stdlib.h>
#include <string.h>

static int find_kind(const support_records *m, int kind) {
    int at = m->taken;
    while (at < m->count && m->record[at].kind != kind) at++;
    return at;
}

static int has(void *user, int kind) {
    return find_kind(user, kind) < ((support_records *)user)->count;
}

static ch_status take(void *user, const void **bytes, int64_t *count, int kind) {
    support_records *m = user;
    int at = find_kind(m, kind);
    assert_true(at < m->count);
    m->taken = at + 1;
    *bytes = m->record[at].bytes;
    *count = m->record[at].count;
    return CH_OK;
}

void support_records_cut(support_records *m, int count) {
    while (m->count > count) free(m->record[--m->count].bytes);
}

static ch_status add(void *user, const ch_record_piece *pieces, int count, int kind) {
    support_records *m = user;
    int64_t bytes = 0;
    support_records_cut(m, m->taken);
    assert_true(m->count < SUPPORT_RECORDS);
    for (int i = 0; i < count; i++) bytes += pieces[i].count;
    unsigned char *to = malloc((size_t)bytes + 1);
    m->record[m->count].kind = kind;
    m->record[m->count].count = bytes;
    m->record[m->count].bytes = to;
    m->taken = ++m->count;
    m->added++;
    for (int i = 0; i < count; i++) {
        if (pieces[i].count) memcpy(to, pieces[i].bytes, (size_t)pieces[i].count);
        to += pieces[i].count;
    }
    return CH_OK;
}

void support_records_begin(support_records *m) {
    *m = (support_records){.table = {sizeof m->table, m, "memory", has, take, add, 0}};
}

void support_records_from(support_records *m, const support_records *other, int count) {
    support_records_begin(m);
    for (int i = 0; i < count; i++) {
        ch_record_piece piece = {other->record[i].bytes, other->record[i].count};
        add(m, &piece, 1, other->record[i].kind);
    }
    m->taken = m->added = 0;
}

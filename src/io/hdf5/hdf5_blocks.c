/* Copies a data set larger than memory from its chunks to a mapped scratch file. Panels of whole
 * chunks are read, so that each chunk is decompressed once, transposed, and written to their
 * places: column after column, or row after row if the matrix is to be transposed. This takes one
 * pass over the data set and one over the scratch file, in panels of at most PANEL bytes and a
 * sixteenth of the limit, unless chunks are larger. */
#include "io/hdf5/hdf5_file.h"

#include <unistd.h>

enum { PANEL = 64 << 20 };

typedef struct unpacking {
    ch_context *context;
    const chi_hdf5_set *set;
    const chi_scratch_place *place;
    int fd;
    size_t size;           /* bytes of a value                         */
    int64_t chunk[2];      /* of the data set; 1 x 1 where it has none */
    int64_t height, width; /* of a panel                               */
    unsigned char *panel, *turned;
} unpacking;

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static void look_at_chunks(unpacking *u) {
    hsize_t sizes[2] = {1, 1};
    hid_t list = H5Dget_create_plist(u->set->id);
    if (list >= 0 && H5Pget_layout(list) == H5D_CHUNKED) H5Pget_chunk(list, 2, sizes);
    if (list >= 0) H5Pclose(list);
    u->chunk[0] = least((int64_t)sizes[0], u->set->rows);
    u->chunk[1] = least((int64_t)sizes[1], u->set->all_cols);
}

/* Panels are whole multiples of a chunk, as many as fit, first along the order of the file: a panel
 * of full columns (rows) is written in one piece. */
static void choose_panel(unpacking *u) {
    int64_t most = least(PANEL, chi_memory_limit(u->context) / 16);
    int64_t limit = most / (int64_t)u->size + 1, rows = u->set->rows, cols = u->set->cols;
    int by_row = u->place->by_row;
    int64_t *along = by_row ? &u->width : &u->height, *across = by_row ? &u->height : &u->width;
    int64_t length = by_row ? cols : rows, breadth = by_row ? rows : cols;
    *across = u->chunk[!by_row];
    *along = limit / *across / u->chunk[by_row] * u->chunk[by_row];
    if (*along < u->chunk[by_row]) *along = u->chunk[by_row];
    *along = least(*along, length);
    if (*along == length && limit / length > *across)
        *across = limit / length / u->chunk[!by_row] * u->chunk[!by_row];
    *across = least(*across, breadth);
}

#define TURN(T)                            \
    for (int64_t j = 0; j < cols; j++)     \
        for (int64_t i = 0; i < rows; i++) \
    ((T *)u->turned)[j * rows + i] = ((const T *)u->panel)[i * cols + j]

static void turn(unpacking *u, int64_t rows, int64_t cols) {
    if (u->size == 1) TURN(uint8_t);
    if (u->size == 2) TURN(uint16_t);
    if (u->size == 4) TURN(uint32_t);
    if (u->size == 8) TURN(uint64_t);
}

/* Writes count lines of `length` values each, which are `stride` apart in the file. */
static ch_status write_lines(const unpacking *u, const unsigned char *lines, int64_t at,
                             int64_t count, int64_t length, int64_t stride) {
    int64_t size = (int64_t)u->size;
    if (length == stride) {
        length *= count;
        count = 1;
    }
    for (int64_t k = 0; k < count; k++)
        TRY(chi_scratch_write(u->context, u->fd, lines + k * length * size, (size_t)(length * size),
                              (at + k * stride) * size, u->place->folder));
    return CH_OK;
}

static ch_status move_panel(unpacking *u, int64_t row, int64_t col) {
    int64_t rows = least(u->height, u->set->rows - row);
    int64_t cols = least(u->width, u->set->cols - col);
    hsize_t from[2] = {(hsize_t)row, (hsize_t)(u->set->first + col)};
    hsize_t size[2] = {(hsize_t)rows, (hsize_t)cols};
    TRY(chi_hdf5_values(u->context, u->panel, u->set->id, u->set->memory, from, size,
                        u->set->label));
    if (u->place->by_row)
        return write_lines(u, u->panel, row * u->set->cols + col, rows, cols, u->set->cols);
    turn(u, rows, cols);
    return write_lines(u, u->turned, col * u->set->rows + row, cols, rows, u->set->rows);
}

static ch_status move_all(unpacking *u) {
    double done = 0, all = (double)u->set->rows * (double)u->set->cols;
    for (int64_t col = 0; col < u->set->cols; col += u->width)
        for (int64_t row = 0; row < u->set->rows; row += u->height) {
            TRY(move_panel(u, row, col));
            done += (double)least(u->height, u->set->rows - row) *
                    (double)least(u->width, u->set->cols - col);
            if (chi_notify(u->context, "read", (int64_t)done, (int64_t)all, -1, 0))
                return CH_STOP_CANCELLED;
        }
    chi_count_read(u->context, all * (double)u->size);
    return CH_OK;
}

ch_status chi_hdf5_unpack(ch_context *context, ch_matrix *X, const chi_hdf5_set *set,
                          const chi_scratch_place *place) {
    unpacking u = {
        .context = context, .set = set, .place = place, .size = ch_value_type_size(set->type)};
    ch_matrix_layout layout = place->by_row ? CH_ROW_MAJOR : CH_COLUMN_MAJOR;
    look_at_chunks(&u);
    choose_panel(&u);
    TRY(chi_scratch_open(context, &u.fd, place->folder));
    int64_t room = u.height * u.width;
    u.panel = chi_take(context, set->label, "a block", room, u.size);
    u.turned = chi_take(context, set->label, "a block", place->by_row ? 0 : room, u.size);
    ch_status status = u.panel && u.turned ? move_all(&u) : CH_ERR_MEMORY;
    chi_free(context, u.turned);
    chi_free(context, u.panel);
    if (status == CH_OK)
        status = chi_scratch_map(context, X, u.fd, set->rows, set->cols, layout, set->type,
                                 place->folder);
    close(u.fd);
    if (status == CH_OK)
        chi_log(context, CH_LOG_INFO,
                "%s: the matrix is larger than the memory limit; its %.3g MB are unpacked to the "
                "scratch folder %s",
                set->label, (double)set->rows * (double)set->cols * (double)u.size / 1e6,
                place->folder);
    return status;
}

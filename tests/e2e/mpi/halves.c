/* The caller's communicator: the ranks of MPI_COMM_WORLD in two halves, each of which finds anchors
 * of its own matrix at the same time, with the library alone. Every half must find what one process
 * finds. Run on 4 ranks; prints nothing when all is well. */
#include <conehull/conehull.h>
#include <conehull/mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 20, COLS = 200, RANK = 5 };

static ch_matrix make(ch_context *context, int64_t seed) {
    ch_synthetic_settings set = {.size = sizeof set,
                                 .rows = ROWS,
                                 .cols = COLS,
                                 .rank = RANK,
                                 .noise = CH_NOISE_SPARSE,
                                 .level = 0.1,
                                 .shuffle = 1,
                                 .type = CH_F64,
                                 .seed = seed};
    ch_matrix X = {0};
    int64_t anchors[RANK];
    ch_synthetic_make(context, &X, anchors, &set);
    return X;
}

/* The columns of X that belong to this rank; X keeps the memory. */
static ch_matrix part_of(const ch_context *context, const ch_matrix *X) {
    ch_matrix part = *X;
    ch_comm_part(context, &part.first, &part.cols, X->cols);
    part.values = (const double *)X->values + part.first * X->stride;
    part.owner = NULL;
    part.release = NULL;
    return part;
}

static int compare(const ch_anchors_result *alone, const ch_anchors_result *spread,
                   const ch_matrix *part) {
    size_t own = (size_t)(RANK * part->cols) * sizeof(double);
    return spread->rank != RANK || memcmp(alone->anchors, spread->anchors, RANK * 8) != 0 ||
           memcmp(alone->H + RANK * part->first, spread->H, own) != 0 ||
           alone->objective != spread->objective;
}

static int try_half(MPI_Comm half, int64_t seed) {
    ch_context *context = NULL;
    ch_comm *comm = NULL;
    ch_anchors_settings set;
    ch_anchors_result alone = {.size = sizeof alone}, spread = {.size = sizeof spread};
    int wrong = 1;
    ch_anchors_defaults(&set);
    set.rank = RANK;
    if (ch_context_create(&context, NULL) < 0) return 1;
    ch_matrix X = make(context, seed);
    if (ch_anchors(context, &alone, &X, &set) >= 0) {
        if (ch_mpi_comm_create(&comm, half) == MPI_SUCCESS &&
            ch_context_set_comm(context, comm) == CH_OK) {
            ch_matrix part = part_of(context, &X);
            if (ch_anchors(context, &spread, &part, &set) >= 0) {
                wrong = compare(&alone, &spread, &part);
                ch_anchors_result_free(context, &spread);
            }
            ch_context_set_comm(context, NULL);
        }
        ch_anchors_result_free(context, &alone);
    }
    if (wrong) printf("seed %d: %s\n", (int)seed, ch_context_message(context));
    ch_mpi_comm_destroy(comm);
    ch_matrix_free(context, &X);
    ch_context_destroy(context);
    return wrong;
}

int main(int count, char **words) {
    int rank, wrong, any = 1;
    MPI_Comm half;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half); /* in another order than the world's */
    wrong = try_half(half, 3 + rank % 2);
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return any;
}

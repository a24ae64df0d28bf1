/* Known components for conehull unmix: spectra that need not be in the scene (--library). */
#include "unmix/unmix_command.h"

int unmix_library_read(unmix_library *library, const cli_session *session,
                       const unmix_arguments *given, const unmix_scene *scene) {
    double *all = NULL;
    int64_t bands = scene->band_count;
    if (given->library_only && !given->library)
        return cli_wrong_use(session, "--library-only cannot be used without --library");
    if (!given->library) return EXIT_DONE;
    if (scene->unknown)
        return cli_refuse(
            "%s: %lld values are NaN or marked as no data, and --library needs all of "
            "them; leave such bands or pixels out (--bands, --complete-pixels)",
            scene->file, (long long)scene->unknown);
    TRY(unmix_spectra_read(&all, &library->count, &library->names, session, given->library, scene));
    library->values = malloc((size_t)(bands * library->count) * sizeof *library->values);
    for (int64_t k = 0; library->values && k < library->count; k++)
        for (int64_t i = 0; i < bands; i++)
            library->values[i + k * bands] = all[scene->bands[i] + k * scene->cube.bands];
    free(all);
    if (!library->values) return cli_no_memory();
    return cli_check(session, ch_matrix_borrow(session->context, &library->L,
                                               &(ch_matrix){.rows = bands,
                                                            .cols = library->count,
                                                            .values = library->values}));
}

void unmix_library_free(unmix_library *library) {
    unmix_names_free(library->names);
    free(library->values);
}

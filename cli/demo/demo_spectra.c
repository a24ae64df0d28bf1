/* The scene of conehull demo: an ENVI cube with a known answer. */
#include "demo/demo_command.h"
#include <conehull/spectra.h>

static void write_header(FILE *to, const void *user) {
    const ch_spectra_scene *scene = user;
    fprintf(to,
            "ENVI\ndescription = {five materials with shadows, noise and spikes}\nsamples = %lld\n"
            "lines = %lld\nbands = %lld\nheader offset = 0\nfile type = ENVI Standard\n"
            "data type = 4\ninterleave = bip\nbyte order = 0\nwavelength units = Nanometers\n"
            "wavelength = {",
            (long long)scene->samples, (long long)scene->lines, (long long)scene->bands);
    for (int64_t i = 0; i < scene->bands; i++)
        fprintf(to, "%s%.6g", i ? ", " : "", scene->wavelengths[i]);
    fputs("}\n", to);
}

static int write_scene(cli_folder *folder, ch_spectra_scene *scene) {
    int64_t pixels = scene->lines * scene->samples;
    ch_npz_array truth[] = {{"M", 'f', 2, {scene->bands, scene->count}, scene->endmembers},
                            {"A", 'f', 2, {scene->count, pixels}, scene->abundances}};
    TRY(cli_folder_write(folder, "scene.hdr", write_header, scene));
    TRY(cli_folder_text(folder, "scene.img", (const char *)scene->values,
                        (size_t)(scene->bands * pixels) * sizeof *scene->values));
    return cli_folder_arrays(folder, "scene_truth.npz", truth, 2);
}

int demo_spectra_write(cli_folder *folder, int64_t seed) {
    const cli_session *session = folder->session;
    ch_spectra_scene scene = {.size = sizeof scene,
                              .lines = 60,
                              .samples = 80,
                              .bands = 100,
                              .noise = 0.003,
                              .spikes = 0.001,
                              .seed = seed};
    TRY(cli_check(session, ch_spectra_scene_make(session->context, &scene)));
    int code = write_scene(folder, &scene);
    ch_spectra_scene_free(session->context, &scene);
    return code;
}

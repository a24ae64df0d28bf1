/* The measurements of `conehull bench NAME`, one function each. A function adds its records to the
 * run, prints errors and returns the exit code (bench_entry.measure). */
#pragma once

#include "harness/harness.h"

/* All measurements; the list ends with a row without name. */
extern const bench_entry bench_entries[];

int bench_rpca(bench_run *run);
int bench_rpca_full(bench_run *run);
int bench_smrs(bench_run *run);
int bench_admm(bench_run *run);
int bench_admm_loose(bench_run *run);
int bench_select_over_read(bench_run *run);
int bench_sklearn(bench_run *run);
int bench_sklearn_weights(bench_run *run);
int bench_two_threads(bench_run *run);

int bench_kernels(bench_run *run);
int bench_passes(bench_run *run);
int bench_spa(bench_run *run);
int bench_select(bench_run *run);
int bench_imperfect(bench_run *run);
int bench_nnlad(bench_run *run);
int bench_divergence(bench_run *run);
int bench_decompose(bench_run *run);
int bench_video(bench_run *run);
int bench_live(bench_run *run);
int bench_exemplars(bench_run *run);
int bench_selectors(bench_run *run);
int bench_scaling(bench_run *run);
int bench_cliffs(bench_run *run);
int bench_threads(bench_run *run);
int bench_reading(bench_run *run);

/* ROC curves against scikit-learn, where it is installed: AUC, every point, the best F-measure. */
#include "support_files.h"
#include <conehull/metrics.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PIXELS = 4000 };

static const char script[] =
    "import numpy as np\n"
    "from sklearn.metrics import roc_auc_score, roc_curve, f1_score\n"
    "for name in ('few', 'many'):\n"
    "    scores, truth = np.loadtxt(name + '.txt').T\n"
    "    head, *points = [[float(v) for v in line.split()] for line in open(name + '.roc')]\n"
    "    auc, best_f, best_at = head\n"
    "    assert abs(roc_auc_score(truth, scores) - auc) < 1e-12, (name, auc)\n"
    "    fpr, tpr, thresholds = roc_curve(truth, scores, drop_intermediate=False)\n"
    "    points = np.array(points)\n"
    "    assert len(points) == len(fpr), (name, len(points), len(fpr))\n"
    "    assert (points[1:, 0] == thresholds[1:]).all()\n"
    "    assert abs(points[:, 1] / truth.sum() - tpr).max() < 1e-12\n"
    "    assert abs(points[:, 2] / (1 - truth).sum() - fpr).max() < 1e-12\n"
    "    f = f1_score(truth, scores >= best_at)\n"
    "    assert abs(f - best_f) < 1e-12, (name, f, best_f)\n"
    "    every = [f1_score(truth, scores >= t) for t in thresholds[1::max(1, len(fpr) // 100)]]\n"
    "    assert max(every) <= best_f + 1e-12\n";

/* Scores as text, and what we make of them. */
static void write_case(ch_context *context, const char *name, ch_random *random, int levels) {
    static float scores[PIXELS];
    static uint8_t truth[PIXELS];
    char path[40];
    snprintf(path, sizeof path, "%s.txt", name);
    FILE *data = fopen(support_path("%s", path), "w");
    for (int i = 0; i < PIXELS; i++) {
        truth[i] = ch_random_uniform(random) < 0.1;
        double score = ch_random_normal(random) + truth[i];
        scores[i] = (float)(levels ? floor(score * levels) : score);
        fprintf(data, "%.17g %d\n", (double)scores[i], truth[i]);
    }
    fclose(data);
    ch_scorer *scorer;
    ch_roc roc = {.size = sizeof roc};
    assert_int_equal(ch_scorer_create(context, &scorer), CH_OK);
    assert_int_equal(ch_scorer_add_f32(scorer, scores, truth, NULL, PIXELS), CH_OK);
    assert_int_equal(ch_scorer_finish(scorer, &roc), CH_OK);
    snprintf(path, sizeof path, "%s.roc", name);
    FILE *curve = fopen(support_path("%s", path), "w");
    fprintf(curve, "%.17g %.17g %.17g\n", roc.auc, roc.best_f, roc.best_threshold);
    for (int64_t k = 0; k < roc.count; k++)
        fprintf(curve, "%.17g %lld %lld\n", roc.points[k].threshold,
                (long long)roc.points[k].true_positives, (long long)roc.points[k].false_positives);
    fclose(curve);
    ch_roc_free(context, &roc);
    ch_scorer_destroy(scorer);
}

static void scikit_learn_agrees(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "metrics against scikit-learn", 11);
    ch_context *context = support_context(NULL, 1);
    write_case(context, "few", &random, 3);
    write_case(context, "many", &random, 0);
    ch_context_destroy(context);
    if (!support_python("numpy, sklearn.metrics", script)) skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(scikit_learn_agrees)};
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}

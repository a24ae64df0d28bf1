/* Options of conehull exemplars: their order in the help, and the methods for which they have an
 * effect. */
#include "exemplars/exemplars_command.h"
#include "options/option_values.h"
#include "text/rank_list.h"

/* The cases in which an option has an effect: bits by row of ch_exemplars_methods, labels. */
enum { FACILITY = 0x401, XRAY = 0x1e, L1 = 0x02, DIVERGENCE = 0x18, SPA = 0x20, SMRS = 0x40 };
enum { PROGRAM = 0xc0, ANY_METHOD = 0x7ff, LABELS = 0x800 };
#define AT(field) .at = offsetof(exemplars_arguments, field)
#define SETTINGS AT(settings), .table = ch_exemplars_table
#define SELECT AT(select), .table = ch_anchors_table
static const char what[] = "Options", worth[] = "With --labels", how[] = "Expert options";
static const cli_option_row rows[] = {
    {what, "rank", 'r', "N,N,..", AT(ranks_text),
     "number of exemplars. With --labels, several numbers can be compared, as in 10,20,50 or "
     "FROM:TO:STEP; without --labels, only the largest number is used"},
    {what, "method", 0, "A,B,..", AT(method_text),
     "how exemplars are chosen: central (default), facility, robust-xray, xray-l2, xray-kl, "
     "xray-is, spa, smrs, hottopixx, kmeans or random. Give several with commas to compare them",
     .words =
         "central|facility|robust-xray|xray-l2|xray-kl|xray-is|spa|smrs|hottopixx|kmeans|random"},
    {what, "weight", 0, "W", AT(weight_text),
     "how values are weighted before exemplars are chosen: auto (default), raw, log, tfidf, "
     "logtfidf, logrootidf, l1, l2, or a combination of two, as in tfidf+l2; 'Weighting' below "
     "explains these values",
     .words = "auto|raw|log|tfidf|logtfidf|logrootidf|l1|l2"},
    {what, "seed", SETTINGS},
    {what, "names", 0, "FILE", AT(text.names_file),
     "file with the name of each column, one per line"},
    {what, "terms", 0, "FILE", AT(text.terms_file),
     "file with the name of each row (for text, its term), one per line; the most characteristic "
     "rows of each exemplar are shown"},
    {what, "output", 'o', "DIR", AT(folder),
     "folder for the files, which is created if it does not exist"},
    {worth, "labels", 0, "FILE", AT(labels_file),
     "the class of each column: a file with one class per line; 'folders' if the documents of "
     "each class are in a folder of their own; or column:NAME for a column of the table that "
     "holds the texts"},
    {worth, "label-column", 0, "NAME", AT(text.settings.label_column),
     "the same as --labels column:NAME"},
    {worth, "splits cost svm", SETTINGS, .cases = LABELS},
    {worth, "features", 0, "W", AT(features_text),
     "how values are weighted for the SVM. W takes the same values as for --weight (default: l2)"},
    {how, "similarity sample longest", SETTINGS, .cases = FACILITY},
    {how, "exterior first", SELECT, .cases = XRAY},
    {how, "dual", SELECT, .cases = L1},
    {how, "projection tol", SELECT, .cases = XRAY},
    {how, "floor", SELECT, .cases = DIVERGENCE},
    {how, "plain", SELECT, .cases = SPA},
    {how, "alpha linear", SELECT, .cases = SMRS},
    {how, "gap", SELECT, .cases = PROGRAM},
    {0}};
static const cli_option_row frame_rows[] = {{"Frames", "from frames step width", AT(clip),
                                             .table = ch_clip_table, .cases = CLI_FROM_FRAMES},
                                            {0}};

void exemplars_options_describe(cli_options *options, void *arguments) {
    exemplars_arguments *given = arguments;
    ch_exemplars_defaults(&given->settings); /* weightings, too */
    options->operand_names[0] = "INPUT";
    options->last_group = how;
    cli_options_add(options, rows, given);
    cli_options_add(options, cli_input_rows, &given->text.matrix);
    cli_text_options(options, &given->text, 0);
    cli_options_add(options, frame_rows, given);
}

/* ---- taking them ---- */

static int take_ranks(const cli_session *session, exemplars_arguments *given) {
    if (!given->ranks_text)
        return cli_wrong_use(session, "-r is missing: give the number of exemplars");
    if (strcmp(given->ranks_text, "auto") == 0)
        return cli_refuse("exemplars: -r auto is not available; give a number, or, with --labels, "
                          "a range such as 10:150:10 to compare several");
    return cli_rank_list(session, &given->ranks, &given->rank_count, given->ranks_text);
}

static int take_weighting(const cli_session *session, ch_weighting *weighting, const char *option,
                          const char *text) {
    if (!text || ch_weighting_parse(session->context, weighting, text) >= 0) return EXIT_DONE;
    return cli_refuse("exemplars: --%s: %s", option, ch_context_message(session->context));
}

int exemplars_options_take(const cli_session *session, exemplars_arguments *given) {
    const cli_options *options = &session->options;
    given->settings.select = &given->select;
    if (given->text.settings.label_column && given->labels_file)
        return cli_wrong_use(
            session, "--labels and --label-column cannot be used together; give one of them");
    if (given->text.settings.label_column) given->labels_file = "column:";
    TRY(take_ranks(session, given));
    TRY(cli_methods_take(session, given->methods, &given->method_count, given->method_text,
                         ch_exemplars_table()));
    TRY(take_weighting(session, &given->settings.weight, "weight", given->weight_text));
    TRY(take_weighting(session, &given->settings.features, "features", given->features_text));
    TRY(cli_options_refuse_idle(
        options, ANY_METHOD, cli_methods_bits(given->methods, given->method_count),
        "with --method %s",
        given->method_text ? given->method_text : ch_exemplars_method_at(0)->name));
    TRY(cli_options_refuse_idle(options, LABELS, given->labels_file ? LABELS : 0,
                                "without --labels"));
    if (given->features_text && !given->labels_file)
        return cli_wrong_use(session, "--features cannot be used without --labels");
    TRY(cli_folder_check(given->folder));
    return cli_text_own_folder(given->folder, "exemplars.txt");
}

int exemplars_options_fit(const cli_session *session, exemplars_kind kind) {
    static const int64_t cases[] = {CLI_FROM_MATRIX, CLI_FROM_TEXT, CLI_FROM_FRAMES};
    static const char *const inputs[] = {"a matrix", "raw text", "a clip"};
    const cli_option *idle = cli_options_idle(&session->options, CLI_FROM_ANY, cases[kind]);
    int other = 0;
    if (!idle) return EXIT_DONE;
    while (!(idle->row.cases & cases[other])) other++;
    return cli_refuse("exemplars: --%s is for %s, but %s is read as %s", idle->flag, inputs[other],
                      session->options.operands[0], inputs[kind]);
}

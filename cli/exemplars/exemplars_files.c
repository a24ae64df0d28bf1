/* The folder of conehull exemplars. */
#include "exemplars/exemplars_command.h"
#include "film/page_photo.h"
#include "report_pages.h"
#include <math.h>

enum { PICTURES = 60 };

/* The data for the files. */
typedef struct contents {
    const exemplars_run *run;
    const exemplars_result *result; /* the result of the current list */
    const json_t *json;
    report_blob pictures[PICTURES]; /* pictures of frames that the first method chose */
    size_t picture_count;
} contents;

/* ---- frames as pictures ---- */

static int encode_frames(contents *of) {
    ch_context *context = of->run->session->context;
    const ch_clip *clip = &of->run->data.clip;
    const ch_exemplars *found = &of->run->results[0].found;
    uint8_t *pixels = malloc((size_t)(clip->width * clip->height) + 1);
    ch_picture picture = {clip->width, clip->height, 1, pixels};
    ch_status status = CH_OK;
    if (!pixels) return cli_no_memory();
    for (int64_t k = 0; k < found->rank && k < PICTURES && status == CH_OK; k++) {
        report_blob *blob = &of->pictures[k];
        status =
            ch_clip_frames(context, pixels, &clip->luma, found->columns[k], found->columns[k] + 1);
        if (status == CH_OK) status = cli_photo_encode(context, blob, &picture, 85);
        if (status == CH_OK) of->picture_count++;
    }
    free(pixels);
    return cli_check(of->run->session, status);
}

/* ---- the files ---- */

static void write_page(FILE *to, const void *user) {
    const contents *of = user;
    report_exemplars_write(to, of->json, of->pictures, of->picture_count);
}

static void write_chart(FILE *to, const void *user) {
    report_exemplars_chart(to, ((const contents *)user)->json);
}

static void write_scores(FILE *to, const ch_exemplars_scores *scores, int k) {
    fprintf(to, ",%.6f,", scores->mean[k]);
    if (scores->splits > 1) fprintf(to, "%.6f", scores->sd[k]);
    for (int64_t s = 0; s < scores->splits; s++)
        fprintf(to, ",%.6f", scores->each[s * scores->count + k]);
    fputc('\n', to);
}

static void write_csv(FILE *to, const void *user) {
    const exemplars_run *run = ((const contents *)user)->run;
    fputs("method,r,mean,sd", to);
    for (int64_t s = 1; s <= run->full.splits; s++) fprintf(to, ",split%lld", (long long)s);
    fputc('\n', to);
    for (int i = 0; i < run->given->method_count; i++)
        for (int k = 0; k < run->given->rank_count; k++) {
            fprintf(to, "%s,%lld", ch_exemplars_method_at(run->given->methods[i])->name,
                    (long long)run->given->ranks[k]);
            write_scores(to, &run->results[i].accuracy, k);
        }
    fputs("whole-half,", to);
    write_scores(to, &run->full, 0);
}

/* Writes a name without tabs and line ends, which would break the table. */
static void put_plain(FILE *to, const char *text) {
    for (; *text; text++) fputc((unsigned char)*text < ' ' ? ' ' : *text, to);
}

static void write_list(FILE *to, const void *user) {
    const exemplars_data *data = &((const contents *)user)->run->data;
    const exemplars_result *result = ((const contents *)user)->result;
    const ch_text_list *names = &data->names, *terms = &data->terms;
    fputs("# column\tname\tlabel\tstands for\tterms\tsimilarity\n", to);
    for (int64_t k = 0; k < result->found.rank; k++) {
        int64_t column = result->found.columns[k];
        fprintf(to, "%lld\t", (long long)column);
        if (names->count) put_plain(to, names->text[column]);
        fputc('\t', to);
        if (data->labels.count) put_plain(to, data->labels.text[column]);
        fprintf(to, "\t%lld\t", (long long)result->found.stands_for[k]);
        for (int t = 0; result->terms && t < EXEMPLARS_TERMS; t++) {
            int64_t row = result->terms[k * EXEMPLARS_TERMS + t];
            if (row < 0) break;
            if (t) fputc(' ', to);
            put_plain(to, terms->text[row]);
        }
        fputc('\t', to);
        if (!isnan(result->mean[k])) fprintf(to, "%.4f", result->mean[k]);
        fputc('\n', to);
    }
}

/* exemplars.txt and members.csv for the first method, exemplars-METHOD.txt and members-METHOD.csv
 * for others. */
static int write_lists(cli_folder *folder, contents *of) {
    for (int i = 0; i < of->run->given->method_count; i++) {
        char list[48] = "exemplars.txt", table[48] = "members.csv";
        of->result = &of->run->results[i];
        const char *method = ch_exemplars_method_at(of->result->method)->name;
        const exemplars_members members = {&of->run->data, of->result};
        if (i) snprintf(list, sizeof list, "exemplars-%s.txt", method);
        if (i) snprintf(table, sizeof table, "members-%s.csv", method);
        TRY(cli_folder_write(folder, list, write_list, of));
        TRY(cli_folder_write(folder, table, exemplars_members_write, &members));
    }
    return EXIT_DONE;
}

static int write_files(cli_folder *folder, contents *of) {
    TRY(write_lists(folder, of));
    TRY(cli_folder_json(folder, "result.json", of->json));
    if (of->run->full.count) {
        TRY(cli_folder_write(folder, "accuracy.csv", write_csv, of));
        TRY(cli_folder_write(folder, "accuracy.svg", write_chart, of));
    }
    return cli_folder_write(folder, "report.html", write_page, of);
}

static int write_folder(contents *of) {
    const exemplars_run *run = of->run;
    char lists[EXEMPLARS_METHODS][48], tables[EXEMPLARS_METHODS][48];
    const char *stale[2 * EXEMPLARS_METHODS + 3] = {"accuracy.csv", "accuracy.svg"};
    cli_folder folder;
    for (int m = 0; m < EXEMPLARS_METHODS; m++) {
        const char *method = ch_exemplars_method_at(m)->name;
        snprintf(lists[m], sizeof lists[m], "exemplars-%s.txt", method);
        snprintf(tables[m], sizeof tables[m], "members-%s.csv", method);
        stale[2 + 2 * m] = lists[m];
        stale[3 + 2 * m] = tables[m];
    }
    if (run->data.kind == EXEMPLARS_FRAMES) TRY(encode_frames(of));
    int code = cli_folder_open(&folder, run->session, run->given->folder);
    folder.keeps = run->interrupted;
    if (code == EXIT_DONE) code = write_files(&folder, of);
    return cli_folder_close(&folder, code, stale);
}

int exemplars_write(const exemplars_run *run, json_t *json) {
    contents of = {.run = run, .json = json};
    double start = cli_seconds();
    int code = write_folder(&of);
    for (size_t k = 0; k < PICTURES; k++)
        ch_picture_bytes_free(run->session->context, of.pictures[k].bytes);
    cli_json_set_seconds(json, "write", cli_seconds() - start);
    return code;
}

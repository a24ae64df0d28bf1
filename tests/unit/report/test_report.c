/* Pages and charts: nothing a user wrote can break out of them, axes are round, charts hold what
 * they were given. */
#include "report_chart.h"
#include "report_page.h"
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t length;

static FILE *begin(void) {
    FILE *to = open_memstream(&text, &length);
    assert_non_null(to);
    return to;
}

static void expect(FILE *to, const char *wanted) {
    fclose(to);
    assert_string_equal(text, wanted);
    free(text);
}

static int count(const char *what) {
    int found = 0;
    for (const char *at = text; (at = strstr(at, what)); at++) found++;
    return found;
}

static void text_is_escaped(void **state) {
    (void)state;
    FILE *to = begin();
    report_escape(to, "<b a=\"1\" c='2'> & </script>");
    expect(to, "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt; &amp; &lt;/script&gt;");
    to = begin();
    report_text(to, "run `a < %d` & see", 3);
    expect(to, "<p>run <code>a &lt; 3</code> &amp; see</p>\n");
}

/* The test vectors of RFC 4648, Section 10. */
static void bytes_become_base64(void **state) {
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    (void)state;
    for (int i = 0; i < 7; i++) {
        char wanted[64];
        FILE *to = begin();
        report_blob blob = {"a/b", (uint8_t *)pairs[i][0], strlen(pairs[i][0])};
        report_data_address(to, &blob);
        snprintf(wanted, sizeof wanted, "data:a/b;base64,%s", pairs[i][1]);
        expect(to, wanted);
    }
}

static void axes_are_round(void **state) {
    static const struct {
        double low, high;
        int ticks;
        double wanted_low, wanted_high, step;
        int decimals;
    } rows[] = {
        {0, 9.3, 5, 0, 10, 2, 0},
        {0, 1, 5, 0, 1, 0.2, 1},
        {3, 47, 5, 0, 50, 10, 0},
        {0.001, 0.0093, 5, 0, 0.01, 0.002, 3},
        {-3, 8, 5, -5, 10, 5, 0},
        {0, 0, 5, 0, 1, 0.2, 1},
        {1200, 98000, 4, 0, 100000, 50000, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        report_axis axis = {0};
        report_axis_fit(&axis, rows[i].low, rows[i].high, rows[i].ticks);
        support_close(axis.step, rows[i].step, 1e-12 * rows[i].step);
        support_close(axis.low, rows[i].wanted_low, 1e-9 * rows[i].step);
        support_close(axis.high, rows[i].wanted_high, 1e-9 * rows[i].step);
        assert_int_equal(axis.decimals, rows[i].decimals);
    }
}

static void chart_holds_its_lines(void **state) {
    static const double x[] = {0, 1, 2, 3}, y[] = {1, 2, NAN, 4}, low[] = {0, 1, 2, 3},
                        high[] = {2, 3, 4, 5}, ends[] = {0, 3};
    (void)state;
    report_mark mark = {2, "here & now"};
    report_chart chart = {
        .title = "A <title>",
        .lines =
            {{.name = "a & b", .x = x, .y = y, .count = 4},
             {.name = "band", .x = x, .y = high, .low = low, .high = high, .count = 4, .plain = 1},
             {.name = "dots", .x = x, .y = low, .count = 4, .points = 1},
             {.x = ends, .y = ends, .count = 2, .guide = 1}},
        .count = 4,
        .marks = &mark,
        .mark_count = 1};
    report_chart_fit(&chart);
    support_close(chart.y.high, 5, 0);
    FILE *to = begin();
    report_chart_write(to, &chart);
    fclose(to);
    assert_int_equal(count("<circle"), 3); /* the line with a gap has three points ...    */
    assert_int_equal(count("<text"), 6 + 4 + 3 + 1 + 1); /* ticks of y, x; names; title; mark */
    assert_int_equal(count("fill-opacity"), 1);
    assert_int_equal(count("class=\"guide\""), 1);
    assert_non_null(strstr(text, "a &amp; b"));
    assert_non_null(strstr(text, "here &amp; now"));
    assert_null(strstr(text, "nan"));
    free(text);
}

/* 2, 4 and 6 exemplars: no tick at 2.5, and a deviation beyond 100 % stays below the title. */
static void numbers_of_things_are_whole_and_bands_end_with_the_axis(void **state) {
    static const double x[] = {2, 4, 6}, y[] = {90, 95, 97}, low[] = {70, 85, 90},
                        high[] = {110, 105, 104}, half[] = {0, 0.5, 1};
    (void)state;
    report_chart chart = {.title = "t",
                          .lines = {{.x = x, .y = y, .low = low, .high = high, .count = 3}},
                          .count = 1};
    report_chart_fit(&chart);
    support_close(chart.x.step, 1, 0);
    support_close(chart.x.low, 2, 0);
    support_close(chart.x.high, 6, 0);
    assert_int_equal(chart.x.decimals, 0);
    report_axis_fit(&chart.y, 80, 100, 5);
    FILE *to = begin();
    report_chart_write(to, &chart);
    fclose(to);
    double top, bottom, at_x, at_y;
    assert_int_equal(sscanf(strstr(text, "data-top="), "data-top=\"%lf", &top), 1);
    assert_int_equal(sscanf(strstr(text, "data-bottom="), "data-bottom=\"%lf", &bottom), 1);
    const char *at = strstr(strstr(text, "fill-opacity"), "d=\"") + 3;
    for (int i = 0; i < 6; i++, at = strpbrk(at + 1, "LMz")) {
        assert_int_equal(sscanf(at + 1, "%lf %lf", &at_x, &at_y), 2);
        assert_true(at_y >= top - 0.06 && at_y <= bottom + 0.06);
    }
    free(text);
    chart.lines[0].x = half;
    report_chart_fit(&chart);
    assert_true(chart.x.step < 1);
}

static void bars_grow_with_their_values(void **state) {
    static const char *const names[] = {"first", "second", "none"};
    static const double values[] = {2, 1, 0};
    (void)state;
    FILE *to = begin();
    report_bars_write(to, &(report_bars){.title = "t",
                                         .names = names,
                                         .values = values,
                                         .count = 3,
                                         .decimals = 1,
                                         .width = 300});
    fclose(to);
    double width[3];
    const char *at = text;
    for (int i = 0; i < 3; i++) {
        at = strstr(at, "<rect class=\"bars");
        assert_non_null(at);
        assert_int_equal(sscanf(strstr(at, "width="), "width=\"%lf", &width[i]), 1);
        at++;
    }
    support_close(width[0], 2 * width[1], 0.11);
    assert_true(width[2] > 0 && width[2] < 1);
    free(text);
}

/* The picture's <tspan>s, put together again, are the names, and each line is short enough. */
static void long_names_go_on_in_the_next_line(void **state) {
    static const char *const names[] = {
        "a folder with a long name/another one/and a text at its end",
        "donaudampfschifffahrtselektrizit\xc3\xa4tenhauptbetriebswerkbauunterbeamtengesellschaft",
        "short", "\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd"};
    static const double values[] = {4, 3, 2, 1};
    char whole[400] = "", expected[400] = "t";
    (void)state;
    FILE *to = begin();
    report_bars_write(
        to,
        &(report_bars){.title = "t", .names = names, .values = values, .count = 4, .width = 300});
    fclose(to);
    int height, lines = 0;
    assert_int_equal(sscanf(strstr(text, "viewBox="), "viewBox=\"0 0 300 %d", &height), 1);
    for (const char *at = text; (at = strstr(at, "<tspan")); lines++) {
        double y;
        assert_int_equal(sscanf(strstr(at, "y="), "y=\"%lf", &y), 1);
        assert_true(y > 0 && y < height);
        at = strchr(at, '>') + 1;
        size_t taken = (size_t)(strchr(at, '<') - at);
        assert_true(taken <= 20);
        strncat(whole, at, taken);
    }
    for (int i = 0; i < 4; i++) strcat(expected, names[i]);
    assert_string_equal(whole, expected);
    assert_true(lines > 8);
    assert_non_null(strstr(text, "a folder </tspan>"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(bytes_become_base64),
        cmocka_unit_test(axes_are_round),
        cmocka_unit_test(chart_holds_its_lines),
        cmocka_unit_test(numbers_of_things_are_whole_and_bands_end_with_the_axis),
        cmocka_unit_test(bars_grow_with_their_values),
        cmocka_unit_test(long_names_go_on_in_the_next_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

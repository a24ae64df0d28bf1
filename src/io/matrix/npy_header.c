/* The header of NumPy's .npy format, versions 1 to 3:
 *
 *     "\x93NUMPY" major minor length(2 bytes; 4 from version 2)
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }  blanks, line feed
 *
 * The dictionary is Python text. The parser takes its three keys in any order, once each, and
 * nothing else. Reference: numpy.lib.format, "Format Version 1.0". */
#include "io/file/format.h"
#include <stdio.h>
#include <string.h>

typedef struct scan {
    const unsigned char *at, *end;
} scan;

static int peek(scan *s) {
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t')) s->at++;
    return s->at < s->end ? *s->at : -1;
}

static int take(scan *s, int expected) {
    if (peek(s) != expected) return 0;
    s->at++;
    return 1;
}

static int take_text(scan *s, char *text, size_t capacity) {
    int quote = peek(s);
    size_t length = 0;
    if (quote != '\'' && quote != '"') return 0;
    for (s->at++; s->at < s->end && *s->at != quote; s->at++) {
        if (length + 1 >= capacity || *s->at == '\\') return 0;
        text[length++] = (char)*s->at;
    }
    text[length] = '\0';
    return take(s, quote);
}

static int take_word(scan *s, const char *word) {
    size_t length = strlen(word);
    peek(s);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length)) return 0;
    s->at += length;
    return 1;
}

static int take_size(scan *s, int64_t *size) {
    int64_t value = 0;
    int digits = 0;
    peek(s);
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++, digits++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *s->at - '0', &value))
            return 0;
    if (s->at < s->end && *s->at == 'L') s->at++; /* Python 2 wrote long integers with an L */
    *size = value;
    return digits > 0;
}

/* Returns what is wrong with the shape, or NULL. */
static const char *take_shape(scan *s, chi_npy *npy) {
    static const char no_tuple[] = "the shape is not a tuple of sizes";
    npy->dims = 0;
    npy->count = 1;
    npy->shape[0] = npy->shape[1] = npy->shape[2] = 1;
    if (!take(s, '(')) return no_tuple;
    while (!take(s, ')')) {
        int64_t size;
        int c = peek(s);
        if (c == '-') return "a size in the shape is negative";
        if (!take_size(s, &size))
            return c >= '0' && c <= '9' ? "a size in the shape is too large" : no_tuple;
        if (npy->dims < 3) npy->shape[npy->dims] = size;
        if (npy->dims++ == 64) return "the shape has more than 64 dimensions";
        if (__builtin_mul_overflow(npy->count, size, &npy->count))
            return "the product of the sizes in the shape is too large";
        if (!take(s, ',') && peek(s) != ')') return no_tuple;
    }
    return NULL;
}

/* "<f8", "|b1", ">U3", "|O", "<M8[ns]": order, letter, size. */
static int read_descr(chi_npy *npy) {
    const char *at = npy->descr;
    int big = *at == '>', size = 0;
    if (*at && strchr("<>|=", *at)) at++;
    npy->element.kind = *at;
    if (!*at++) return 0;
    for (; *at >= '0' && *at <= '9' && size < 1000000; at++) size = 10 * size + (*at - '0');
    npy->element.size = npy->element.kind == 'U' ? 4 * size : size;
    npy->element.swap = size > 1 && big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    return *at == '\0' || npy->element.kind == 'M' || npy->element.kind == 'm';
}

static ch_status bad(ch_context *context, const char *label, const char *what) {
    return chi_fail(context, CH_ERR_FORMAT,
                    "%s: the .npy header is invalid: %s; write the file again with numpy.save",
                    label, what);
}

static ch_status read_dictionary(ch_context *context, chi_npy *npy, const char *label, scan s) {
    int seen_descr = 0, seen_order = 0, seen_shape = 0;
    char key[16];
    if (!take(&s, '{')) return bad(context, label, "it contains no dictionary");
    while (!take(&s, '}')) {
        if (!take_text(&s, key, sizeof key) || !take(&s, ':'))
            return bad(context, label, "a key is missing before a colon");
        if (!strcmp(key, "descr") && !seen_descr++) {
            if (peek(&s) == '[')
                return chi_fail(
                    context, CH_ERR_UNSUPPORTED,
                    "%s: the array contains records instead of numbers; save one plain array",
                    label);
            if (!take_text(&s, npy->descr, sizeof npy->descr) || !read_descr(npy))
                return bad(context, label, "the type of the values is not understood");
        } else if (!strcmp(key, "fortran_order") && !seen_order++) {
            npy->fortran = take_word(&s, "True");
            if (!npy->fortran && !take_word(&s, "False"))
                return bad(context, label, "fortran_order is neither True nor False");
        } else if (!strcmp(key, "shape") && !seen_shape++) {
            const char *wrong = take_shape(&s, npy);
            if (wrong) return bad(context, label, wrong);
        } else {
            return bad(context, label, "it has an unknown or repeated key");
        }
        if (!take(&s, ',') && peek(&s) != '}') return bad(context, label, "a comma is missing");
    }
    if (peek(&s) != -1) return bad(context, label, "text follows after the dictionary");
    if (!seen_descr || !seen_order || !seen_shape)
        return bad(context, label, "descr, fortran_order or shape is missing");
    return CH_OK;
}

ch_status chi_npy_parse(ch_context *context, chi_npy *npy, const char *label,
                        const unsigned char *bytes, int64_t available) {
    if (available < 6 || memcmp(bytes, "\x93NUMPY", 6))
        return chi_fail(
            context, CH_ERR_FORMAT,
            "%s: this is not an .npy file, because it does not begin with the mark NUMPY", label);
    int wide = available > 6 && bytes[6] >= 2;
    int64_t before = wide ? 12 : 10;
    if (available < before) return bad(context, label, "it is truncated");
    if (bytes[6] < 1 || bytes[6] > 3)
        return chi_fail(
            context, CH_ERR_UNSUPPORTED,
            "%s: version %d.%d of the .npy format is not supported; supported are versions 1 to 3",
            label, bytes[6], bytes[7]);
    int64_t length = bytes[8] + 256 * (int64_t)bytes[9];
    if (wide) length += 65536 * ((int64_t)bytes[10] + 256 * (int64_t)bytes[11]);
    if (length > CHI_NPY_HEAD_MAX - 12)
        return chi_fail(
            context, CH_ERR_FORMAT,
            "%s: the .npy header is invalid: it states a length of %lld bytes, which is too long",
            label, (long long)length);
    if (length > available - before)
        return chi_fail(context, CH_ERR_FORMAT,
                        "%s: the file is truncated: its header states a length of %lld bytes, but "
                        "only %lld follow",
                        label, (long long)length, (long long)(available - before));
    memset(npy, 0, sizeof *npy);
    npy->offset = before + length;
    return read_dictionary(context, npy, label, (scan){bytes + before, bytes + before + length});
}

ch_status chi_npy_check_numbers(ch_context *context, const chi_npy *npy, const char *label) {
    if (npy->element.kind == 'c')
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "%s: the array contains complex numbers (type '%s'), which are not "
                        "supported; save their real part or their modulus",
                        label, npy->descr);
    if (!chi_element_known(npy->element))
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "%s: values of type '%s' are not supported; convert the array to real "
                        "numbers of up to 8 bytes with astype(float)",
                        label, npy->descr);
    return CH_OK;
}

ch_status chi_npy_check_real(ch_context *context, const chi_npy *npy, const char *label) {
    TRY(chi_npy_check_numbers(context, npy, label));
    if (npy->dims == 0 || npy->dims > 2)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "%s: the array has %d dimensions, but a matrix must have 2; use reshape",
                        label, npy->dims);
    return CH_OK;
}

int chi_npy_format(char head[CHI_NPY_WRITE_MAX], const char *descr, int fortran, int dims,
                   const int64_t *shape) {
    char sizes[64] = "";
    if (dims == 1) snprintf(sizes, sizeof sizes, "%lld,", (long long)shape[0]);
    if (dims == 2)
        snprintf(sizes, sizeof sizes, "%lld, %lld", (long long)shape[0], (long long)shape[1]);
    memset(head, ' ', CHI_NPY_WRITE_MAX);
    int text = snprintf(head + 10, CHI_NPY_WRITE_MAX - 10,
                        "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr,
                        fortran ? "True" : "False", sizes);
    head[10 + text] = ' '; /* overwrites the zero of snprintf */
    int length = (10 + text + 1 + 63) / 64 * 64;
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): bytes, no string */
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    head[8] = (char)((length - 10) & 255);
    head[9] = (char)((length - 10) >> 8);
    head[length - 1] = '\n';
    return length;
}

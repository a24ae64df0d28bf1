/* The parts of a mail or a news post that are not its text, line by line:
 *
 *     header       from the first line, if that is "Name: value" or the "From " of a mailbox, to
 *                  the first empty one
 *     quotations   lines that begin with >, |, : or a name of up to ten letters and >
 *     attributions lines that end in "wrote:", "schrieb:", "a ecrit :", "escribio:" and similar,
 *                  or begin with "In article", or are "Am ... um ... schrieb ..."
 *     signature    what follows a line of two hyphens (RFC 3676)
 *     answered     what follows "-----Original Message-----" (Outlook), also in German, French,
 *                  Spanish
 *
 * Only the first characters of a line are examined, so memory is bounded for lines of any
 * length. */
#include "text/corpus/corpus_internal.h"
#include <string.h>

void chi_mail_start(chi_mail *mail) {
    mail->state = CHI_MAIL_FIRST;
    mail->count = mail->decided = mail->kept = 0;
}

static int is_field_name(uint32_t code) { /* RFC 5322, 2.2: printable ASCII except the colon */
    return code > ' ' && code < 127 && code != ':';
}

/* "Name:" followed by a blank or by nothing; a web address is not a header. */
static int is_header(const chi_mail *mail) {
    int at = 0;
    while (at < mail->count && is_field_name(mail->line[at])) at++;
    if (at == 0 || at == mail->count || mail->line[at] != ':') return 0;
    return at + 1 == mail->count || mail->line[at + 1] <= ' ';
}

static int is_blank(const chi_mail *mail) {
    for (int k = 0; k < mail->count; k++)
        if (mail->line[k] != ' ' && mail->line[k] != '\t' && mail->line[k] != '\r') return 0;
    return 1;
}

static int is_letter(uint32_t code) {
    return (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
}

static int is_quoted(const chi_mail *mail) {
    enum { INITIALS = 10 };
    int at = 0;
    while (at < mail->count && (mail->line[at] == ' ' || mail->line[at] == '\t')) at++;
    if (at == mail->count) return 0;
    if (mail->line[at] == '>' || mail->line[at] == '|' || mail->line[at] == ':') return 1;
    int from = at;
    while (at < mail->count && at - from < INITIALS && is_letter(mail->line[at])) at++;
    return at < mail->count && mail->line[at] == '>';
}

static int ends_with(const chi_mail *mail, const char *text) {
    int end = mail->count, length = (int)strlen(text);
    while (end > 0 && (mail->line[end - 1] == ' ' || mail->line[end - 1] == '\r')) end--;
    for (int k = 0; k < length; k++)
        if (end < length || mail->line[end - length + k] != (uint8_t)text[k]) return 0;
    return 1;
}

static int begins_with(const chi_mail *mail, const char *text) {
    int length = (int)strlen(text);
    for (int k = 0; k < length; k++)
        if (mail->count < length || mail->line[k] != (uint8_t)text[k]) return 0;
    return 1;
}

static int contains(const chi_mail *mail, const char *text) {
    int length = (int)strlen(text);
    for (int from = 0; from + length <= mail->count; from++) {
        int k = 0;
        while (k < length && mail->line[from + k] == (uint8_t)text[k]) k++;
        if (k == length) return 1;
    }
    return 0;
}

/* The line of a mail program before a quotation. Letters beyond ASCII are code points below 256,
 * as bytes of Latin 1. */
static int is_attribution(const chi_mail *mail) {
    static const char *const ends[] = {"writes:",
                                       "wrote:",
                                       "schrieb:",
                                       "schreibt:",
                                       "a \xe9"
                                       "crit :",
                                       "a \xe9"
                                       "crit\xa0:",
                                       "a \xe9"
                                       "crit:",
                                       "escribi\xf3:"};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        if (ends_with(mail, ends[k])) return 1;
    if (begins_with(mail, "In article ")) return 1;
    if (begins_with(mail, "<") && ends_with(mail, ">:")) return 1; /* of two lines, the second */
    return begins_with(mail, "Am ") && contains(mail, " schrieb ") &&
           (ends_with(mail, ":") || contains(mail, " um "));
}

static const char *const answered[] = {"-----Original Message", "-----Urspr\xfcngliche Nachricht",
                                       "-----Message d'origine", "-----Mensaje original"};

/* Returns whether the text ends: a signature or the answered mail follows. */
static int is_end(const chi_mail *mail) {
    for (size_t k = 0; k < sizeof answered / sizeof *answered; k++)
        if (begins_with(mail, answered[k])) return 1;
    return begins_with(mail, "--") &&
           (mail->count == 2 || (mail->count == 3 && mail->line[2] <= ' '));
}

int chi_mail_decide(chi_mail *mail, int whole) {
    if (mail->state == CHI_MAIL_FIRST) {
        if (is_blank(mail)) return 0;
        int header = is_header(mail) || begins_with(mail, "From ");
        mail->state = header ? CHI_MAIL_HEADER : CHI_MAIL_BODY;
    }
    if (mail->state == CHI_MAIL_HEADER && is_blank(mail)) mail->state = CHI_MAIL_BODY;
    if (mail->state == CHI_MAIL_BODY && whole && is_end(mail)) mail->state = CHI_MAIL_END;
    if (mail->state != CHI_MAIL_BODY || is_quoted(mail)) return 0;
    return !is_attribution(mail);
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/rtbench_config.h"

#include "base/error.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONFIG_LIMIT_BYTES = 64 * 1024, /* 20 options; anything larger is another file */
    HEX_DIGITS = 4,
    UTF8_ONE_BYTE = 0x80, /* code points below take so many bytes (RFC 3629) */
    UTF8_TWO_BYTES = 0x800,
    SURROGATE_FIRST = 0xd800,
    SURROGATE_LAST = 0xdfff,
};

/* What is read from and where; text of strings is unescaped in place, it never grows. */
struct reader {
    char *at;
    const char *end;
    unsigned line;
    struct laxity_error *error;
};

static int refuse(const struct reader *reader, const char *what)
{
    return laxity_refuse(
        reader->error,
        LAXITY_EXIT_USAGE,
        "line %u: %s; write {\"period\": 0.01, \"bmark-args\": \"64KiB\"}",
        reader->line,
        what
    );
}

static char peek(const struct reader *reader)
{
    if (reader->at == reader->end) {
        return '\0';
    }
    return *reader->at;
}

static void skip_blanks(struct reader *reader)
{
    for (; reader->at < reader->end && strchr(" \t\r\n", *reader->at) && *reader->at != '\0';
         reader->at++) {
        reader->line += *reader->at == '\n';
    }
}

static bool take_letter(struct reader *reader, char letter)
{
    skip_blanks(reader);
    if (peek(reader) != letter) {
        return false;
    }
    reader->at++;
    return true;
}

/* "\u00e9", after its u, as UTF-8. */
static int unescape_code_point(struct reader *reader, char **out)
{
    uint32_t code = 0;
    for (unsigned i = 0; i < HEX_DIGITS; i++) {
        static const char digits[] = "0123456789abcdef";
        const char letter = peek(reader);
        const char lower = (char)(letter >= 'A' && letter <= 'F' ? letter - 'A' + 'a' : letter);
        const char *digit = lower == '\0' ? NULL : strchr(digits, lower);
        if (!digit) {
            return refuse(reader, "\\u without four hexadecimal digits");
        }
        code = code * 16 + (uint32_t)(digit - digits);
        reader->at++;
    }
    if (code == 0 || (code >= SURROGATE_FIRST && code <= SURROGATE_LAST)) {
        return refuse(reader, "a character that no option can hold");
    }
    char *to = *out;
    if (code < UTF8_ONE_BYTE) {
        *to++ = (char)code;
    } else if (code < UTF8_TWO_BYTES) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    *out = to;
    return 0;
}

static int unescape(struct reader *reader, char **out)
{
    static const char escapes[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    const char letter = peek(reader);
    const char *found = letter == '\0' ? NULL : strchr(escapes, letter);
    if (letter == 'u') {
        reader->at++;
        return unescape_code_point(reader, out);
    }
    if (!found) {
        return refuse(reader, "an unknown escape after \\");
    }
    reader->at++;
    *(*out)++ = meanings[found - escapes];
    return 0;
}

/* At a quote. The text ends in place of an escape or of the closing quote. */
static int read_string(struct reader *reader, char **out_text)
{
    char *to = ++reader->at;
    char *const text = to;
    while (reader->at < reader->end && *reader->at != '"') {
        const char letter = *reader->at++;
        if ((unsigned char)letter < ' ') {
            return refuse(reader, "a string that does not end on its line");
        }
        if (letter != '\\') {
            *to++ = letter;
        } else if (unescape(reader, &to)) {
            return -1;
        }
    }
    if (reader->at == reader->end) {
        return refuse(reader, "a string that does not end");
    }
    reader->at++;
    *to = '\0';
    *out_text = text;
    return 0;
}

/* A number as it is written; the option that gets it says whether it is a good one. The letter
 * behind it is handed back, because its place is needed for the end of the text. */
static int read_number(struct reader *reader, char **out_text, char *out_next)
{
    char *const text = reader->at;
    while (reader->at < reader->end && *reader->at != '\0' && strchr("+-.0123456789eE", *reader->at)
    ) {
        reader->at++;
    }
    if (reader->at == text) {
        return refuse(reader, "a value that is neither text nor number");
    }
    *out_next = peek(reader);
    *reader->at = '\0'; /* there is room: the text itself ends with a zero */
    *out_text = text;
    return 0;
}

static int read_member(struct reader *reader, laxity_rtbench_take *take, void *context)
{
    char *name = NULL;
    char *value = NULL;
    skip_blanks(reader);
    if (peek(reader) != '"') {
        return refuse(reader, "no name in quotes");
    }
    if (read_string(reader, &name)) {
        return -1;
    }
    if (!take_letter(reader, ':')) {
        return refuse(reader, "no colon after a name");
    }
    skip_blanks(reader);
    const bool is_text = peek(reader) == '"';
    char next = '\0';
    if (is_text ? read_string(reader, &value) : read_number(reader, &value, &next)) {
        return -1;
    }
    if (take(context, name, value, reader->error)) {
        return -1;
    }
    if (!is_text) {
        *reader->at = next;
    }
    return 0;
}

int laxity_rtbench_config_parse(
    char *text, size_t bytes, laxity_rtbench_take *take, void *context, struct laxity_error *error
)
{
    struct reader reader = {.at = text, .end = text + bytes, .line = 1, .error = error};
    if (!take_letter(&reader, '{')) {
        return refuse(&reader, "no JSON object");
    }
    bool is_done = take_letter(&reader, '}');
    while (!is_done) {
        if (read_member(&reader, take, context)) {
            return -1;
        }
        is_done = !take_letter(&reader, ',');
        if (is_done && !take_letter(&reader, '}')) {
            return refuse(&reader, "no comma or } after a value");
        }
    }
    skip_blanks(&reader);
    return reader.at == reader.end ? 0 : refuse(&reader, "something after the object");
}

/* Returns how many bytes stand in `text`, or -errno. */
static long read_file(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        return -errno;
    }
    errno = 0;
    const size_t bytes = fread(text, 1, room, file);
    const int failure = ferror(file) ? errno : 0;
    (void)fclose(file);
    return failure ? -failure : (long)bytes;
}

int laxity_rtbench_config_read(
    const char *path, laxity_rtbench_take *take, void *context, struct laxity_error *error
)
{
    char *text = calloc(1, CONFIG_LIMIT_BYTES + 2);
    if (!text) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "no memory");
    }
    const long bytes = read_file(path, text, CONFIG_LIMIT_BYTES + 1);
    int rc = -1;
    if (bytes < 0) {
        laxity_error_set(
            error,
            LAXITY_EXIT_USAGE,
            "-g %.60s: %s; correct the path",
            path,
            strerrordesc_np((int)-bytes)
        );
    } else if (bytes > CONFIG_LIMIT_BYTES) {
        laxity_error_set(
            error, LAXITY_EXIT_USAGE, "-g %.60s: larger than 64 KiB; this is no configuration", path
        );
    } else {
        struct laxity_error inner = {.exit_code = 0};
        rc = laxity_rtbench_config_parse(text, (size_t)bytes, take, context, &inner);
        if (rc) {
            laxity_error_set(error, inner.exit_code, "-g %.60s: %.130s", path, inner.text);
        }
    }
    free(text);
    return rc;
}

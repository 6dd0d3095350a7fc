/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/tracefs_format.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    DECIMAL = 10,
    INTEGER_BYTES_MAX = 8,
    /* Sub-buffers of more than a page have been possible since Linux 6.8, up to this. */
    PAGE_BYTES_MAX = 1 << 20,
};

/* The number behind `key` in one line, as "offset:8;". Returns it, or -1. */
static long number_behind(const char *line, const char *end, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = line; (size_t)(end - at) > length; at++) {
        if (strncmp(at, key, length) == 0) {
            char *rest = NULL;
            const long number = strtol(at + length, &rest, DECIMAL);
            return rest != at + length && *rest == ';' ? number : -1;
        }
    }
    return -1;
}

static bool is_of_word(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_';
}

/* "field:char prev_comm[16];" is the field prev_comm: the last word before the brackets. */
static bool names_field(const char *line, const char *end, const char *name)
{
    const char *stop = memchr(line, ';', (size_t)(end - line));
    if (!stop) {
        return false;
    }
    if (stop > line && stop[-1] == ']') {
        while (stop > line && *stop != '[') {
            stop--;
        }
    }
    const size_t length = strlen(name);
    if ((size_t)(stop - line) <= length || strncmp(stop - length, name, length) != 0) {
        return false;
    }
    return !is_of_word(stop[-(ptrdiff_t)length - 1]);
}

/* Offset and size of the field `name`. Returns 0 or -EBADMSG. */
static int find_stretch(
    const char *text, const char *name, long *out_offset, long *out_bytes, bool *out_is_signed
)
{
    for (const char *line = text; *line != '\0';) {
        const char *end = strchr(line, '\n');
        end = end ? end : line + strlen(line);
        const char *field = line;
        while (field < end && isspace((unsigned char)*field)) {
            field++;
        }
        if ((size_t)(end - field) > strlen("field:") &&
            strncmp(field, "field:", strlen("field:")) == 0 && names_field(field, end, name)) {
            *out_offset = number_behind(field, end, "\toffset:");
            *out_bytes = number_behind(field, end, "\tsize:");
            *out_is_signed = number_behind(field, end, "\tsigned:") == 1;
            return *out_offset >= 0 && *out_bytes > 0 ? 0 : -EBADMSG;
        }
        line = *end == '\n' ? end + 1 : end;
    }
    return -EBADMSG;
}

int laxity_tracefs_find_field(
    const char *text, const char *name, struct laxity_tracefs_field *out_field
)
{
    long offset = 0;
    long bytes = 0;
    bool is_signed = false;
    const int rc = find_stretch(text, name, &offset, &bytes, &is_signed);
    if (rc || offset > UINT16_MAX || bytes > UINT16_MAX) {
        return -EBADMSG;
    }
    *out_field = (struct laxity_tracefs_field){(uint16_t)offset, (uint16_t)bytes, is_signed};
    return 0;
}

int laxity_tracefs_parse_format(
    const char *text,
    const char *const names[LAXITY_TRACEPOINT_FIELDS],
    struct laxity_tracefs_format *out_format
)
{
    struct laxity_tracefs_format format = {0};
    const char *id = strstr(text, "ID: ");
    if (!id) {
        return -EBADMSG;
    }
    const long number = strtol(id + strlen("ID: "), NULL, DECIMAL);
    if (number <= 0 || number > UINT16_MAX) {
        return -EBADMSG;
    }
    format.id = (uint16_t)number;
    int rc = laxity_tracefs_find_field(text, "common_pid", &format.common_pid);
    for (unsigned i = 0; i < LAXITY_TRACEPOINT_FIELDS && names[i] && rc == 0; i++) {
        rc = laxity_tracefs_find_field(text, names[i], &format.fields[i]);
    }
    if (rc || format.common_pid.bytes > INTEGER_BYTES_MAX) {
        return -EBADMSG;
    }
    *out_format = format;
    return 0;
}

int laxity_tracefs_parse_page(const char *text, struct laxity_tracefs_page *out_page)
{
    struct laxity_tracefs_field commit;
    long offset = 0;
    long bytes = 0;
    bool is_signed = false;
    if (laxity_tracefs_find_field(text, "commit", &commit) ||
        find_stretch(text, "data", &offset, &bytes, &is_signed)) {
        return -EBADMSG;
    }
    /* A page starts with the 64 bits of its time. */
    const bool is_header = commit.offset >= sizeof(uint64_t) &&
                           (commit.bytes == sizeof(uint32_t) || commit.bytes == sizeof(uint64_t)) &&
                           offset >= commit.offset + commit.bytes;
    if (!is_header || offset > UINT16_MAX || bytes > PAGE_BYTES_MAX - offset) {
        return -EBADMSG;
    }
    *out_page = (struct laxity_tracefs_page){
        .commit = commit,
        .data_offset = (uint16_t)offset,
        .bytes = (uint32_t)(offset + bytes),
    };
    return 0;
}

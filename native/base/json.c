/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/json.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_ROOM_BYTES = 4096,
    NUMBER_BYTES = 32,
    ESCAPE_BYTES = 8
};

static void append(struct laxity_json *json, const char *text, size_t bytes)
{
    if (json->is_out_of_memory) {
        return;
    }
    if (json->used + bytes + 1 > json->room) {
        size_t room = json->room > 0 ? json->room : FIRST_ROOM_BYTES;
        while (json->used + bytes + 1 > room) {
            room *= 2;
        }
        char *larger = realloc(json->text, room);
        if (!larger) {
            json->is_out_of_memory = true;
            return;
        }
        json->text = larger;
        json->room = room;
    }
    memcpy(json->text + json->used, text, bytes);
    json->used += bytes;
    json->text[json->used] = '\0';
}

size_t laxity_utf8_bytes(const unsigned char *text)
{
    if (text[0] < 0x80) {
        return 1;
    }
    size_t bytes = 0;
    if (text[0] >= 0xc2 && text[0] <= 0xdf) {
        bytes = 2;
    } else if (text[0] >= 0xe0 && text[0] <= 0xef) {
        bytes = 3;
    } else if (text[0] >= 0xf0 && text[0] <= 0xf4) {
        bytes = 4;
    }
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool is_overlong =
        (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    const bool is_no_character =
        (text[0] == 0xed && text[1] > 0x9f) || (text[0] == 0xf4 && text[1] > 0x8f);
    return is_overlong || is_no_character ? 0 : bytes;
}

static void append_quoted(struct laxity_json *json, const char *value)
{
    append(json, "\"", 1);
    const unsigned char *rest = (const unsigned char *)value;
    while (*rest != '\0') {
        const size_t bytes = laxity_utf8_bytes(rest);
        if (bytes == 0) {
            append(json, "?", 1);
            rest++;
            continue;
        }
        if (*rest == '"' || *rest == '\\') {
            append(json, "\\", 1);
            append(json, (const char *)rest, 1);
        } else if (*rest < 0x20 || *rest == 0x7f) {
            char escape[ESCAPE_BYTES];
            laxity_format(escape, sizeof escape, "\\u%04x", *rest);
            append(json, escape, strlen(escape));
        } else {
            append(json, (const char *)rest, bytes);
        }
        rest += bytes;
    }
    append(json, "\"", 1);
}

static void begin_value(struct laxity_json *json, const char *name)
{
    if (!json->is_first && json->used > 0) {
        append(json, ", ", 2);
    }
    json->is_first = false;
    if (name) {
        append_quoted(json, name);
        append(json, ": ", 2);
    }
}

void laxity_json_open(struct laxity_json *json, const char *name, char bracket)
{
    begin_value(json, name);
    append(json, &bracket, 1);
    json->is_first = true;
}

void laxity_json_close(struct laxity_json *json, char bracket)
{
    append(json, &bracket, 1);
    json->is_first = false;
}

void laxity_json_int(struct laxity_json *json, const char *name, int64_t value)
{
    char number[NUMBER_BYTES];
    laxity_format(number, sizeof number, "%" PRId64, value);
    begin_value(json, name);
    append(json, number, strlen(number));
}

void laxity_json_count(struct laxity_json *json, const char *name, uint64_t value)
{
    char number[NUMBER_BYTES];
    laxity_format(number, sizeof number, "%" PRIu64, value);
    begin_value(json, name);
    append(json, number, strlen(number));
}

void laxity_json_bool(struct laxity_json *json, const char *name, bool value)
{
    begin_value(json, name);
    append(json, value ? "true" : "false", value ? 4 : 5);
}

void laxity_json_null(struct laxity_json *json, const char *name)
{
    begin_value(json, name);
    append(json, "null", 4);
}

void laxity_json_text(struct laxity_json *json, const char *name, const char *value)
{
    begin_value(json, name);
    append_quoted(json, value);
}

void laxity_json_free(struct laxity_json *json)
{
    free(json->text);
    *json = (struct laxity_json){0};
}

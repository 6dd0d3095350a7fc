/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A small JSON writer into a buffer that grows: objects, lists and values, commas put by itself. */
#ifndef LAXITY_BASE_JSON_H
#define LAXITY_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct laxity_json {
    char *text; /* freed by laxity_json_free */
    size_t used;
    size_t room;
    bool is_first; /* nothing yet in the innermost object or list */
    bool is_out_of_memory;
};

/*
 * Every function takes the member's name, or NULL inside a list. After running out of memory all of
 * them do nothing and is_out_of_memory is set. The caller pairs open and close.
 */
void laxity_json_open(struct laxity_json *json, const char *name, char bracket);
void laxity_json_close(struct laxity_json *json, char bracket);
void laxity_json_int(struct laxity_json *json, const char *name, int64_t value);
void laxity_json_count(struct laxity_json *json, const char *name, uint64_t value);
void laxity_json_bool(struct laxity_json *json, const char *name, bool value);
void laxity_json_null(struct laxity_json *json, const char *name);
/* Text is escaped; bytes that are no UTF-8 become '?', because JSON cannot hold them. */
void laxity_json_text(struct laxity_json *json, const char *name, const char *value);
void laxity_json_free(struct laxity_json *json);

/* Length of the UTF-8 sequence at text, 0 if it is none. Overlong forms and surrogates count as
 * none; what follows a cut one is not read as part of it. */
size_t laxity_utf8_bytes(const unsigned char *text);

#endif

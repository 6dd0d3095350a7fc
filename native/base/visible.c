/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/visible.h"

#include "base/error.h"
#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    PIECE_BYTES = 1024, /* a message of ours is one write */
    ESCAPE_BYTES = sizeof "\\u001b",
    LONGEST_UTF8 = 4,
    PAYLOAD_BITS = 6, /* of each byte of a sequence but the first */
    PAYLOAD_MASK = 0x3f,
};

/* First and last of each range (Unicode 15.1, section 23.2). */
static const struct {
    uint32_t first;
    uint32_t last;
} obeyed[] = {
    {0x00, 0x08},
    {0x0b, 0x1f},
    {0x7f, 0x9f},
    {0x061c, 0x061c},
    {0x200e, 0x200f},
    {0x2028, 0x202e},
    {0x2066, 0x2069},
};

struct piece {
    FILE *out;
    size_t used;
    char text[PIECE_BYTES];
};

static bool is_obeyed(uint32_t character)
{
    for (size_t i = 0; i < sizeof obeyed / sizeof obeyed[0]; i++) {
        if (character >= obeyed[i].first && character <= obeyed[i].last) {
            return true;
        }
    }
    return false;
}

/* Of a valid sequence. */
static uint32_t decode(const unsigned char *sequence, size_t bytes)
{
    /* The first byte has as many ones before its payload as the sequence has bytes. */
    uint32_t character = bytes == 1 ? sequence[0] : sequence[0] & (PAYLOAD_MASK >> (bytes - 1));
    for (size_t i = 1; i < bytes; i++) {
        character = (character << PAYLOAD_BITS) | (sequence[i] & PAYLOAD_MASK);
    }
    return character;
}

static void append(struct piece *piece, const char *text, size_t bytes)
{
    if (piece->used + bytes > sizeof piece->text) {
        (void)fwrite(piece->text, 1, piece->used, piece->out);
        piece->used = 0;
    }
    memcpy(piece->text + piece->used, text, bytes);
    piece->used += bytes;
}

static void append_visible(struct piece *piece, const char *text, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        /* The end of the text may be followed by anything. */
        unsigned char sequence[LONGEST_UTF8 + 1] = {0};
        const size_t left = bytes - at;
        memcpy(sequence, text + at, left < LONGEST_UTF8 ? left : LONGEST_UTF8);
        const size_t length = laxity_utf8_bytes(sequence);
        char escape[ESCAPE_BYTES];
        if (length == 0) {
            laxity_format(escape, sizeof escape, "\\x%02x", sequence[0]);
        } else if (is_obeyed(decode(sequence, length))) {
            laxity_format(escape, sizeof escape, "\\u%04x", (unsigned)decode(sequence, length));
        } else {
            laxity_format(escape, sizeof escape, "%.*s", (int)length, (const char *)sequence);
        }
        append(piece, escape, strlen(escape));
        at += length > 0 ? length : 1;
    }
}

void laxity_write_visible(FILE *out, const char *text, size_t bytes)
{
    struct piece piece = {.out = out};
    append_visible(&piece, text, bytes);
    (void)fwrite(piece.text, 1, piece.used, out);
}

void laxity_write_message(const char *who, const char *text)
{
    struct piece piece = {.out = stderr};
    append_visible(&piece, who, strlen(who));
    append(&piece, ": ", 2);
    append_visible(&piece, text, strlen(text));
    append(&piece, "\n", 1);
    (void)fwrite(piece.text, 1, piece.used, stderr);
}

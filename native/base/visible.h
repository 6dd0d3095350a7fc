/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Text for people: a terminal shows names that others gave, and obeys none of them. */
#ifndef LAXITY_BASE_VISIBLE_H
#define LAXITY_BASE_VISIBLE_H

#include <stddef.h>
#include <stdio.h>

/*
 * laxity_write_visible - write UTF-8 text with every control character as what it is, "\u001b"
 *
 * Those are C0 but for tab and end of line, DEL, C1, and what changes the direction of text or ends
 * a line, as `visible` of python/laxity/core/wording.py has them; bytes that are no UTF-8 become
 * "\x9b". Text holds no half of a character.
 */
void laxity_write_visible(FILE *out, const char *text, size_t bytes);

/* laxity_write_message - "WHO: TEXT" as a line of stderr, both visible */
void laxity_write_message(const char *who, const char *text);

#endif

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Files and values that describe a machine, as records; nothing is interpreted.
 *
 *   KIND LENGTH KEY<NEWLINE>  LENGTH bytes  <NEWLINE>
 *
 *   file   a file's content                  cut    its first LIMIT bytes; there are more
 *   error  why it was not read: the name of an errno (ENOENT), or words
 *   value  what is no file; its KEY starts with @
 *   end    the last record; without it the answer is not whole
 */
#ifndef LAXITY_FACTS_COLLECT_H
#define LAXITY_FACTS_COLLECT_H

#include "base/error.h"

#include <stdio.h>

/*
 * laxity_facts_collect - answer every request of `in` on `out`
 *
 * `root` is "" for this machine, or a directory that holds a copy of another one's /proc and /sys;
 * of a copy no values are sent: they would describe the wrong machine. Returns 0, or -1 with error
 * set: a line that is no request (exit 2), a full or closed output (3).
 */
int laxity_facts_collect(const char *root, FILE *in, FILE *out, struct laxity_error *error);

#endif

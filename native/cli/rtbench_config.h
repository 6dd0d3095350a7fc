/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * RT-Bench's configuration file: one flat JSON object whose members are long names of options.
 *
 * Our own reader, because a workload executable is all that a board gets: it links with libc alone.
 */
#ifndef LAXITY_CLI_RTBENCH_CONFIG_H
#define LAXITY_CLI_RTBENCH_CONFIG_H

#include "base/error.h"

#include <stddef.h>

/* Gets one member, its value as text. Returns 0, or -1 with error set. */
typedef int
laxity_rtbench_take(void *context, const char *name, const char *value, struct laxity_error *error);

/*
 * laxity_rtbench_config_parse - hand over the members of a JSON object in their order
 *
 * A string is handed over without its quotes and escapes, a number as it is written. Nested values,
 * true, false and null are refused. `text` is changed. Returns 0, or -1 with error set (exit 2),
 * naming the line.
 */
int laxity_rtbench_config_parse(
    char *text, size_t bytes, laxity_rtbench_take *take, void *context, struct laxity_error *error
);

/*
 * laxity_rtbench_config_read - the same for a file
 *
 * Returns 0, or -1 with error set (exit 2; 3 without memory).
 */
int laxity_rtbench_config_read(
    const char *path, laxity_rtbench_take *take, void *context, struct laxity_error *error
);

#endif

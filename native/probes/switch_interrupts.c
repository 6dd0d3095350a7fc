/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/switch_interrupts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    DECIMAL = 10
};

/* Which column of counts is that of a CPU: the first line names the CPUs that are online. */
static bool find_column(const char *text, unsigned cpu, unsigned *out_column)
{
    const char *end = text + strcspn(text, "\n");
    unsigned column = 0;
    for (const char *at = strstr(text, "CPU"); at && at < end; at = strstr(at + 1, "CPU")) {
        if (strtoul(at + strlen("CPU"), NULL, DECIMAL) == cpu) {
            *out_column = column;
            return true;
        }
        column++;
    }
    return false;
}

/* The number in a column of "LABEL: 12 34 text", and whether there is one. */
static bool read_count(const char *after_label, unsigned column, uint64_t *out_count)
{
    const char *at = after_label;
    for (unsigned i = 0;; i++) {
        at += strspn(at, " ");
        if (*at < '0' || *at > '9') {
            return false;
        }
        char *end = NULL;
        const uint64_t count = strtoull(at, &end, DECIMAL);
        if (i == column) {
            *out_count = count;
            return true;
        }
        at = end;
    }
}

bool laxity_interrupts_parse(const char *text, unsigned cpu, struct laxity_interrupts *out)
{
    unsigned column = 0;
    out->n = 0;
    if (!find_column(text, cpu, &column)) {
        return false;
    }
    for (const char *line = strchr(text, '\n'); line && line[1] != '\0';
         line = strchr(line, '\n')) {
        line += 1 + strspn(line + 1, " ");
        const size_t length = strcspn(line, ":\n");
        uint64_t count = 0;
        if (line[length] != ':' || !read_count(line + length + 1, column, &count)) {
            continue;
        }
        if (out->n == LAXITY_INTERRUPTS_MAX) {
            return false;
        }
        char *label = out->labels[out->n];
        memset(label, 0, LAXITY_INTERRUPT_BYTES);
        memcpy(label, line, length < LAXITY_INTERRUPT_BYTES ? length : LAXITY_INTERRUPT_BYTES);
        out->counts[out->n++] = count;
    }
    return true;
}

uint64_t laxity_interrupts_since(
    const struct laxity_interrupts *before,
    const struct laxity_interrupts *after,
    const char **out_label
)
{
    uint64_t n = 0;
    *out_label = NULL;
    if (before->n != after->n ||
        memcmp(before->labels, after->labels, after->n * sizeof after->labels[0]) != 0) {
        return UINT64_MAX;
    }
    for (unsigned i = 0; i < after->n; i++) {
        const uint64_t grown = after->counts[i] - before->counts[i];
        n += grown;
        *out_label = grown > 0 ? after->labels[i] : *out_label;
    }
    return n;
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The measured loops of probes "crpd" and "migration" over data. */
#include "base/error.h"
#include "codegen/shape.h"
#include "probes/crpd_patterns.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CACHES_MAX = 16,
    PATH_BYTES = 80,
    NUMBER_BYTES = 24,
    UNKNOWN_LINE_BYTES = 32,
};

/* As the kernel knows it; those of one processor are those of all. */
static size_t find_line_bytes(void)
{
    size_t least = 0;
    for (int i = 0; i < CACHES_MAX; i++) {
        char path[PATH_BYTES];
        laxity_format(
            path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/coherency_line_size", i
        );
        FILE *file = fopen(path, "re");
        char text[NUMBER_BYTES] = "";
        if (file) {
            (void)!fgets(text, sizeof text, file);
            (void)fclose(file);
        }
        const size_t bytes = strtoul(text, NULL, 10);
        least = bytes > 0 && (least == 0 || bytes < least) ? bytes : least;
    }
    return least;
}

size_t laxity_crpd_line_bytes(void)
{
    static size_t line_bytes;
    if (line_bytes == 0) {
        const size_t found = find_line_bytes();
        line_bytes = found == 0                           ? UNKNOWN_LINE_BYTES
                     : found < LAXITY_SHORTEST_LINE_BYTES ? LAXITY_SHORTEST_LINE_BYTES
                     : found > LAXITY_LONGEST_LINE_BYTES  ? LAXITY_LONGEST_LINE_BYTES
                                                          : found;
    }
    return line_bytes;
}

/* The measured loop: nothing may be added, every instruction here is part of a pass. */
__attribute__((noinline)) void
laxity_crpd_walk(volatile unsigned char *working_set, const size_t bytes)
{
    for (size_t i = 0; i + 1 < bytes; i += LAXITY_CRPD_STEP_BYTES) {
        const unsigned char value = working_set[i];
        working_set[i + 1] = value;
    }
}

/* The measured loop: nothing may be added, every instruction here is part of a pass. */
__attribute__((noinline)) void laxity_crpd_chase(unsigned char *working_set)
{
    struct laxity_crpd_line *const first = laxity_crpd_line(working_set, 0);
    struct laxity_crpd_line *line = first;
    do {
        line->visits++;
        line = line->next;
    } while (line != first);
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Two readings of /proc/stat, apart by a NUL. */
#include "base/port/time.h"
#include "trace/steal.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_LIMIT = 4096
};

/* NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* NOLINTNEXTLINE(readability-identifier-naming) */
int LLVMFuzzerTestOneInput(const uint8_t *const data, const size_t size)
{
    static char text[TEXT_LIMIT + 2];
    static struct laxity_steal before;
    static struct laxity_steal after;
    if (size > TEXT_LIMIT) {
        return -1;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    text[size + 1] = '\0';
    laxity_steal_parse(text, &before);
    laxity_steal_parse(text + strlen(text) + 1 - (strlen(text) == size), &after);
    for (unsigned cpu = 0; cpu < LAXITY_CPUS_MAX; cpu++) {
        const int64_t between_ns = laxity_steal_between_ns(&before, &after, cpu);
        if (between_ns < 0 && between_ns != LAXITY_ABSENT_NS) {
            abort();
        }
    }
    return 0;
}

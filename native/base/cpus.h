/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Sets of CPUs, as users write them ("0-1,3") and as a bit set that fits into the segment. */
#ifndef LAXITY_BASE_CPUS_H
#define LAXITY_BASE_CPUS_H

#include "schema/run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* glibc's cpu_set_t has as many; larger machines need CPU_ALLOC, which nobody has asked for yet. */
enum {
    LAXITY_CPUS_WORDS = LAXITY_CPUS_MAX / 64
};

struct laxity_cpus {
    uint64_t words[LAXITY_CPUS_WORDS];
};

/* laxity_cpus_parse - read "0-1,3". Returns 0, -EINVAL for bad text, -ERANGE for a CPU beyond
 * LAXITY_CPUS_MAX. */
int laxity_cpus_parse(const char *text, struct laxity_cpus *out_cpus);

/* laxity_cpus_format - write "0-1,3" into text; cut if it does not fit */
void laxity_cpus_format(const struct laxity_cpus *cpus, char *text, size_t bytes);

void laxity_cpus_add(struct laxity_cpus *cpus, unsigned cpu);
bool laxity_cpus_has(const struct laxity_cpus *cpus, unsigned cpu);
bool laxity_cpus_is_empty(const struct laxity_cpus *cpus);
unsigned laxity_cpus_count(const struct laxity_cpus *cpus);
/* One more than the largest CPU; 0 of an empty set. */
unsigned laxity_cpus_end(const struct laxity_cpus *cpus);

/* laxity_cpus_without - the CPUs of `from` that are not in `taken` */
struct laxity_cpus
laxity_cpus_without(const struct laxity_cpus *from, const struct laxity_cpus *taken);

#endif

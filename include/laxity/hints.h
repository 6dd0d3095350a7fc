/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Hints: where a program is cheap to migrate, as `laxity workingset --hints-elf` writes it into the
 * program itself. Section laxity_hints is an array of records in the target's byte order, in no
 * particular order; the linker joins those of all objects and names both ends.
 *
 * A point may have several records: code that the compiler has copied (inlined, unrolled) has an
 * address for each copy. One without a record was removed as unreachable.
 *
 *   for (const struct laxity_hint *hint = __start_laxity_hints; hint < __stop_laxity_hints; hint++)
 *       use(laxity_hint_address(hint), hint->live_bits);
 */
#ifndef LAXITY_HINTS_H
#define LAXITY_HINTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    LAXITY_HINTS_SCHEMA = 1
};

/* live_bits: must move if the task migrates before the instruction at the address; a bound.
 * cost_ns: what that costs; all ones: not known. point: its number in the JSON hint table. */
struct laxity_hint {
    uint32_t schema;
    int32_t address_offset; /* from this field */
    uint32_t point;
    uint32_t reserved; /* 0 */
    uint64_t live_bits;
    uint64_t cost_ns;
};

/* Made by the linker where there is such a section. */
extern const struct laxity_hint __start_laxity_hints[] __attribute__((weak));
extern const struct laxity_hint __stop_laxity_hints[] __attribute__((weak));

/* Where the code of a point begins; of Thumb code without the lowest bit. */
static inline uintptr_t laxity_hint_address(const struct laxity_hint *hint)
{
    return (uintptr_t)&hint->address_offset + (uintptr_t)(intptr_t)hint->address_offset;
}

#ifdef __cplusplus
}
#endif

#endif

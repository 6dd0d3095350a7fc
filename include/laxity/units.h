/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Durations and sizes as users write them: a number and a unit, nothing else. Used by tools and
 * workloads alike. */
#ifndef LAXITY_UNITS_H
#define LAXITY_UNITS_H

#include <stdint.h>

enum {
    LAXITY_BYTES_TEXT_BYTES = 24 /* room for the longest: 20 digits, "KiB" and the final 0 */
};

/*
 * laxity_parse_ns - read a duration with a unit ("50us", "1.5ms", "10s", "2m", "1h", "250ns") into
 * nanoseconds
 *
 * Decimal fractions are exact: "1.5us" is 1500, "0.3ns" is refused. No sign, no blanks. Returns 0;
 * -EINVAL for a bad or missing number or unit, or a value that is no whole number of nanoseconds;
 * -ERANGE if it does not fit.
 */
int laxity_parse_ns(const char *text, int64_t *out_ns);

/*
 * laxity_parse_bytes - read a size with a unit ("64KiB", "1MiB", "2GiB", "500kB", "1MB", "128B")
 * into bytes
 *
 * Binary units (KiB MiB GiB TiB) are powers of 1024, decimal ones (kB MB GB TB) powers of 1000.
 * Returns as laxity_parse_ns.
 */
int laxity_parse_bytes(const char *text, uint64_t *out_bytes);

/*
 * laxity_parse_count - read a whole number without unit, sign or blanks, within [low, high]
 *
 * Returns 0; -EINVAL if it is no whole number; -ERANGE if it lies outside.
 */
int laxity_parse_count(const char *text, uint64_t low, uint64_t high, uint64_t *out_count);

/*
 * laxity_format_bytes - write a size exactly, in the largest binary unit of which it is a multiple
 *
 * laxity_parse_bytes gives the same number: 65536 is "64KiB", 65537 is "65537B". Returns `text`,
 * which has room for LAXITY_BYTES_TEXT_BYTES.
 */
const char *laxity_format_bytes(uint64_t bytes, char text[LAXITY_BYTES_TEXT_BYTES]);

#endif

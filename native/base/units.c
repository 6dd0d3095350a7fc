/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Integer arithmetic only: "0.1ms" is 100000 ns, not the double next to it. */
#include <laxity/units.h>

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A unit and what one of it is worth in the base unit (nanosecond or byte). */
struct unit {
    const char *name;
    uint64_t worth;
};

static const struct unit time_units[] = {
    {"ns", 1},
    {"us", 1000},
    {"ms", 1000000},
    {"s", 1000000000},
    {"m", 60 * UINT64_C(1000000000)},
    {"h", 3600 * UINT64_C(1000000000)},
};

static const struct unit size_units[] = {
    {"B", 1},
    {"KiB", UINT64_C(1) << 10},
    {"MiB", UINT64_C(1) << 20},
    {"GiB", UINT64_C(1) << 30},
    {"TiB", UINT64_C(1) << 40},
    {"kB", 1000},
    {"MB", 1000000},
    {"GB", 1000000000},
    {"TB", 1000000000000},
};

enum {
    TIME_UNIT_COUNT = sizeof time_units / sizeof *time_units,
    SIZE_UNIT_COUNT = sizeof size_units / sizeof *size_units,
    BINARY_UNIT_COUNT = 5 /* B to TiB, which come first */
};

struct decimal {
    uint64_t whole;    /* what stands before the point */
    bool is_too_large; /* `whole` does not fit; the text is read on, it may be no number at all */
    const char *fraction;        /* the digits behind the point */
    size_t fraction_digit_count; /* 0: no point */
    const char *end;             /* first character that is not part of the number */
};

/* isdigit() depends on the locale. */
static bool is_digit(const char letter)
{
    return letter >= '0' && letter <= '9';
}

static bool append_digit(uint64_t *const value, const char digit)
{
    return !__builtin_mul_overflow(*value, 10, value) &&
           !__builtin_add_overflow(*value, (uint64_t)(digit - '0'), value);
}

/* Reads digits, or digits "." digits, at the start of `text`. */
static int scan_decimal(const char *text, struct decimal *const out_decimal)
{
    struct decimal decimal = {.whole = 0};

    if (!is_digit(*text)) {
        return -EINVAL;
    }
    for (; is_digit(*text); text++) {
        decimal.is_too_large = decimal.is_too_large || !append_digit(&decimal.whole, *text);
    }
    if (*text == '.') {
        text++;
        decimal.fraction = text;
        while (is_digit(*text)) {
            text++;
        }
        decimal.fraction_digit_count = (size_t)(text - decimal.fraction);
        if (decimal.fraction_digit_count == 0) {
            return -EINVAL;
        }
    }
    decimal.end = text;
    *out_decimal = decimal;
    return 0;
}

/*
 * The fraction times `worth`, by multiplication as on paper: from the last digit to the first,
 * write one digit of the product, carry the rest. All digits written stand behind the point, so
 * each must be 0. The carry stays below `worth`, and 10 · worth fits (largest: 1 h in ns, 3.6e12),
 * so nothing overflows however many digits there are.
 */
static int
scale_fraction(const struct decimal *const decimal, const uint64_t worth, uint64_t *const out_value)
{
    uint64_t carry = 0;

    for (size_t left = decimal->fraction_digit_count; left > 0; left--) {
        carry += (uint64_t)(decimal->fraction[left - 1] - '0') * worth;
        if (carry % 10 != 0) {
            return -EINVAL;
        }
        carry /= 10;
    }
    *out_value = carry;
    return 0;
}

static int parse_quantity(
    const char *const text,
    const struct unit *const units,
    const size_t unit_count,
    const uint64_t highest,
    uint64_t *const out_value
)
{
    struct decimal decimal;
    uint64_t fraction;
    uint64_t value;
    size_t unit = 0;

    if (scan_decimal(text, &decimal) != 0) {
        return -EINVAL;
    }
    while (unit < unit_count && strcmp(decimal.end, units[unit].name) != 0) {
        unit++;
    }
    if (unit == unit_count || scale_fraction(&decimal, units[unit].worth, &fraction) != 0) {
        return -EINVAL;
    }
    if (decimal.is_too_large || __builtin_mul_overflow(decimal.whole, units[unit].worth, &value) ||
        __builtin_add_overflow(value, fraction, &value) || value > highest) {
        return -ERANGE;
    }
    *out_value = value;
    return 0;
}

int laxity_parse_ns(const char *const text, int64_t *const out_ns)
{
    uint64_t value;
    const int status = parse_quantity(text, time_units, TIME_UNIT_COUNT, INT64_MAX, &value);

    if (status == 0) {
        *out_ns = (int64_t)value;
    }
    return status;
}

int laxity_parse_bytes(const char *const text, uint64_t *const out_bytes)
{
    return parse_quantity(text, size_units, SIZE_UNIT_COUNT, UINT64_MAX, out_bytes);
}

const char *laxity_format_bytes(const uint64_t bytes, char text[LAXITY_BYTES_TEXT_BYTES])
{
    size_t unit = BINARY_UNIT_COUNT - 1;

    while (unit > 0 && (bytes == 0 || bytes % size_units[unit].worth != 0)) {
        unit--;
    }
    (void)snprintf(
        text,
        LAXITY_BYTES_TEXT_BYTES,
        "%" PRIu64 "%s",
        bytes / size_units[unit].worth,
        size_units[unit].name
    );
    return text;
}

int laxity_parse_count(
    const char *const text, const uint64_t low, const uint64_t high, uint64_t *const out_count
)
{
    struct decimal decimal;

    if (scan_decimal(text, &decimal) != 0 || decimal.fraction_digit_count > 0 ||
        *decimal.end != '\0') {
        return -EINVAL;
    }
    if (decimal.is_too_large || decimal.whole < low || decimal.whole > high) {
        return -ERANGE;
    }
    *out_count = decimal.whole;
    return 0;
}

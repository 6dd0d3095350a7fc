/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/rtbench_seconds.h"

#include "base/port/time.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/* Bound of laxity-run: longer has no test. */
static const int64_t seconds_max_ns = INT64_C(400) * 24 * 3600 * LAXITY_NS_PER_S;

enum {
    EXPONENT_MAX = 1000,
    NS_EXPONENT = 9,
};

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* A decimal as mantissa * 10^exponent; digits beyond the 18th are dropped, the nanosecond is far
 * above them. */
struct decimal {
    uint64_t mantissa;
    long exponent;
};

static int scan_digits(const char **text, struct decimal *decimal, bool *has_digits)
{
    static const uint64_t mantissa_max = UINT64_C(1000000000000000000) / 10;
    bool is_fraction = false;
    for (; is_digit(**text) || (**text == '.' && !is_fraction); (*text)++) {
        if (**text == '.') {
            is_fraction = true;
            continue;
        }
        *has_digits = true;
        const bool is_dropped = decimal->mantissa >= mantissa_max;
        if (!is_dropped) {
            decimal->mantissa = decimal->mantissa * 10 + (uint64_t)(**text - '0');
        }
        decimal->exponent += (is_dropped ? 1 : 0) - (is_fraction ? 1 : 0);
    }
    return *has_digits ? 0 : -EINVAL;
}

/* "e-3", or nothing. */
static int scan_exponent(const char *text, long *exponent)
{
    if (*text == '\0') {
        return 0;
    }
    if (*text != 'e' && *text != 'E') {
        return -EINVAL;
    }
    text++;
    const bool is_negative = *text == '-';
    text += *text == '-' || *text == '+';
    if (!is_digit(*text)) {
        return -EINVAL;
    }
    long value = 0;
    for (; is_digit(*text); text++) {
        value = value < EXPONENT_MAX ? value * 10 + (*text - '0') : value;
    }
    *exponent += is_negative ? -value : value;
    return *text == '\0' ? 0 : -EINVAL;
}

int laxity_parse_seconds(const char *text, int64_t *out_ns)
{
    struct decimal decimal = {.mantissa = 0};
    bool has_digits = false;
    if (scan_digits(&text, &decimal, &has_digits) || scan_exponent(text, &decimal.exponent)) {
        return -EINVAL;
    }
    long exponent = decimal.exponent + NS_EXPONENT;
    uint64_t value = decimal.mantissa;
    uint64_t removed = 0;
    for (; exponent > 0 && value != 0; exponent--) {
        if (__builtin_mul_overflow(value, 10, &value)) {
            return -ERANGE;
        }
    }
    for (; exponent < 0 && (value != 0 || removed != 0); exponent++) {
        removed = value % 10;
        value /= 10;
    }
    value += removed >= 5;
    if (value > (uint64_t)seconds_max_ns) {
        return -ERANGE;
    }
    *out_ns = (int64_t)value;
    return 0;
}

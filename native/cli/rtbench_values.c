/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/rtbench_values.h"

#include "base/error.h"
#include "base/port/deadline.h"
#include "base/port/time.h"

#include <laxity/units.h>

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    EXPONENT_MAX = 1000,
    NS_EXPONENT = 9,
    DIGITS_MAX = 63,
    TEN_BITS = 10,
};

/* Bound of laxity-run: longer has no test. */
static const int64_t seconds_max_ns = INT64_C(400) * 24 * 3600 * LAXITY_NS_PER_S;

/* Far above the kernel's own bound, which it states itself; only overflow is kept away here. */
static const uint64_t reserved_max_ns = UINT64_C(24) * 3600 * LAXITY_NS_PER_S;

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

int laxity_parse_rtbench_bytes(const char *text, uint64_t *out_bytes)
{
    static const uint64_t bytes_max = UINT64_C(1) << 40;
    char digits[DIGITS_MAX + 1] = {0};
    const size_t length = strlen(text);
    if (length == 0 || length > DIGITS_MAX) {
        return -EINVAL;
    }
    memcpy(digits, text, length);
    unsigned shift = 0;
    static const char letters[] = "KkMmGg";
    const char *letter = strchr(letters, digits[length - 1]);
    if (letter) {
        shift = ((unsigned)(letter - letters) / 2 + 1) * TEN_BITS;
        digits[length - 1] = '\0';
    }
    uint64_t count = 0;
    const int rc = laxity_parse_count(digits, 0, bytes_max >> shift, &count);
    if (rc == 0) {
        *out_bytes = count << shift;
    }
    return rc;
}

int laxity_parse_reserved_ns(const char *text, int64_t *out_ns)
{
    uint64_t value = 0;
    const int rc = laxity_parse_count(text, 1, reserved_max_ns, &value);
    if (rc == 0) {
        *out_ns = (int64_t)value;
    }
    return rc;
}

int laxity_rtbench_complete_reservation(
    struct laxity_reservation *reservation, bool has_fifo, struct laxity_error *error
)
{
    if (reservation->period_ns == 0) {
        if (reservation->deadline_ns == 0 && reservation->runtime_ns == 0) {
            return 0;
        }
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "-D and -T are of SCHED_DEADLINE; add its period, -P NS"
        );
    }
    if (has_fifo) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "-f and -P: SCHED_FIFO and SCHED_DEADLINE exclude each other; leave one out"
        );
    }
    if (reservation->deadline_ns == 0) {
        reservation->deadline_ns = reservation->period_ns;
    }
    if (reservation->runtime_ns == 0) {
        reservation->runtime_ns = reservation->deadline_ns;
    }
    char what[LAXITY_ERROR_TEXT_BYTES];
    if (laxity_check_reservation(reservation, what, sizeof what)) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "-P, -D, -T: %.150s", what);
    }
    return 0;
}

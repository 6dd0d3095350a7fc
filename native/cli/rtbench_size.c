/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/rtbench_size.h"

#include <laxity/units.h>

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    DIGITS_MAX = 63,
    TEN_BITS = 10
};

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

/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* What the formats of printf and of scanf have in common. */
#ifndef LAXITY_WORKINGSET_FORMAT_H
#define LAXITY_WORKINGSET_FORMAT_H

#include <stddef.h>
#include <string.h>

/* The length of a conversion, which `at` is moved behind: 'H' hh, 'h', 0 none, 'l', 'q' ll and j,
 * 'z' also t, 'L'. */
static inline char laxity_format_length(const char **at)
{
    char length = 0;

    for (; **at != '\0' && strchr("hljztL", **at); ++*at) {
        if (**at == 'h' && length == 'h') {
            length = 'H';
        } else if (**at == 'j' || (**at == 'l' && length == 'l')) {
            length = 'q';
        } else if (**at == 't') {
            length = 'z';
        } else {
            length = **at;
        }
    }
    return length;
}

/* What an integer conversion of that length is written to. */
static inline size_t laxity_integer_bytes(char length)
{
    switch (length) {
    case 'H':
        return sizeof(char);
    case 'h':
        return sizeof(short);
    case 'l':
    case 'z':
        return sizeof(long);
    case 'q':
        return sizeof(long long);
    default:
        return sizeof(int);
    }
}

#endif

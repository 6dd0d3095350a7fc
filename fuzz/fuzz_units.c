/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Any text through the three parsers of units.h. What must hold, besides that nothing crashes:
 * a result is one of three; nothing is written on failure; what was accepted, written again in the
 * base unit, gives the same value; no text is both a quantity and a count.
 */
#include <laxity/units.h>

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_LIMIT = 256,
    AGAIN_BYTES = 32,
    UNTOUCHED = 42,
    /* Bounds that random digits hit on both sides. */
    LOW = 10,
    HIGH = 1000
};

/* NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(const int holds)
{
    if (!holds) {
        abort();
    }
}

static void require_status(const int status)
{
    require(status == 0 || status == -EINVAL || status == -ERANGE);
}

static int check_ns(const char *const text)
{
    int64_t ns = UNTOUCHED;
    int64_t ns_again = 0;
    char again[AGAIN_BYTES];
    const int status = laxity_parse_ns(text, &ns);

    require_status(status);
    if (status != 0) {
        require(ns == UNTOUCHED);
        return status;
    }
    require(ns >= 0);
    (void)snprintf(again, sizeof again, "%" PRId64 "ns", ns);
    require(laxity_parse_ns(again, &ns_again) == 0 && ns_again == ns);
    return 0;
}

static int check_bytes(const char *const text)
{
    uint64_t bytes = UNTOUCHED;
    uint64_t bytes_again = 0;
    char again[LAXITY_BYTES_TEXT_BYTES];
    const int status = laxity_parse_bytes(text, &bytes);

    require_status(status);
    if (status != 0) {
        require(bytes == UNTOUCHED);
        return status;
    }
    (void)laxity_format_bytes(bytes, again);
    require(laxity_parse_bytes(again, &bytes_again) == 0 && bytes_again == bytes);
    return 0;
}

static int check_count(const char *const text)
{
    uint64_t count = UNTOUCHED;
    uint64_t unbounded = 0;
    const int status = laxity_parse_count(text, LOW, HIGH, &count);

    require_status(status);
    if (status == 0) {
        require(count >= LOW && count <= HIGH);
        require(laxity_parse_count(text, 0, UINT64_MAX, &unbounded) == 0 && unbounded == count);
        return 0;
    }
    require(count == UNTOUCHED);
    return status;
}

/* NOLINTNEXTLINE(readability-identifier-naming) */
int LLVMFuzzerTestOneInput(const uint8_t *const data, const size_t size)
{
    char text[TEXT_LIMIT];

    if (size >= sizeof text) {
        return -1; /* not kept in the corpus */
    }
    memcpy(text, data, size);
    text[size] = '\0';
    /* -ERANGE says that the text is well-formed. */
    const int is_count = check_count(text) != -EINVAL;
    const int is_duration = check_ns(text) != -EINVAL;
    const int is_size = check_bytes(text) != -EINVAL;

    require(is_count + is_duration + is_size <= 1);
    return 0;
}

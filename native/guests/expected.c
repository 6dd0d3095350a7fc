/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/expected.h"

#include "base/error.h"
#include "guests/guest_call.h"
#include "guests/isolation.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int laxity_expected_read(struct laxity_expected *out_expected, const char *text)
{
    const char *files = strrchr(text, ':');
    const char *output = files ? memrchr(text, ':', (size_t)(files - text)) : NULL;
    if (!output || (size_t)(files - output) > LAXITY_HASH_TEXT_BYTES ||
        strlen(files) > LAXITY_HASH_TEXT_BYTES ||
        (size_t)(output - text) >= LAXITY_EXPECTED_BYTES) {
        return -1;
    }
    laxity_format(out_expected->end, sizeof out_expected->end, "%.*s", (int)(output - text), text);
    laxity_format(
        out_expected->output,
        sizeof out_expected->output,
        "%.*s",
        (int)(files - output - 1),
        output + 1
    );
    laxity_format(out_expected->files, sizeof out_expected->files, "%s", files + 1);
    return 0;
}

bool laxity_expected_is_end(
    const struct laxity_expected *expected, const struct laxity_guest_end *end
)
{
    const char *how = laxity_guest_end_name(end->kind);
    const size_t length = strlen(how);
    if (strncmp(expected->end, how, length) != 0 || expected->end[length] != ':') {
        return false;
    }
    return end->kind == LAXITY_GUEST_RETURNED ||
           strtol(expected->end + length + 1, NULL, 10) == end->code;
}

/* Of what is written as "-" there is nothing to compare. */
static bool is_hash(uint64_t hash, const char *text)
{
    char seen[LAXITY_HASH_TEXT_BYTES];
    laxity_format(seen, sizeof seen, "%016" PRIx64, hash);
    return strcmp(text, "-") == 0 || strcmp(text, seen) == 0;
}

bool laxity_expected_is_met(
    const struct laxity_expected *expected, const struct laxity_job_outcome *outcome
)
{
    char check[LAXITY_EXPECTED_BYTES];
    char end[LAXITY_EXPECTED_BYTES];
    const bool check_returned = !outcome->has_check || outcome->check.kind == LAXITY_GUEST_RETURNED;
    laxity_format(check, sizeof check, "%d", outcome->check.code);
    laxity_format(
        end,
        sizeof end,
        "%s:%d:%s",
        laxity_guest_end_name(outcome->end.kind),
        outcome->end.code,
        outcome->has_check ? check : "-"
    );
    return check_returned && strcmp(end, expected->end) == 0 &&
           is_hash(outcome->output.hash, expected->output) &&
           is_hash(outcome->files.hash, expected->files);
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Plans of a regulation. What is accepted can be decided by. */
#include "base/error.h"
#include "regulator/plan.h"
#include "regulator/policy.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_LIMIT = 1 << 16,
};

/* A few readings of any plan: nothing overflows, and no permission lies in the past. */
static void decide(const struct laxity_regulation_plan *plan)
{
    struct laxity_regulation regulation;
    laxity_regulation_begin(&regulation, &plan->table, &plan->terms);
    struct laxity_regulation_mark mark = {.job = 0};
    int64_t now_ns = 0;
    for (uint32_t i = 0; i <= plan->table.n_phases; i++) {
        now_ns += plan->period_ns;
        mark.checkpoint = i;
        mark.wall_ns = now_ns;
        mark.own_ns = plan->table.solo_until_ns[i];
        const struct laxity_regulation_reading reading = {
            .before_ns = now_ns,
            .after_ns = now_ns,
            .bytes = (uint64_t)plan->period_ns,
            .marks = &mark,
            .n_marks = 1,
            .stopped_since_ns = INT64_MIN,
            .next_start_ns = INT64_MIN,
        };
        const int64_t expiry_ns = laxity_regulation_decide(&regulation, &reading);
        if (expiry_ns != INT64_MIN && expiry_ns != now_ns + plan->terms.lease_ns) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct laxity_regulation_plan plan;
    if (bytes >= TEXT_LIMIT) {
        return 0;
    }
    char *text = calloc(1, bytes + 1);
    struct laxity_error error = {0};
    if (!text) {
        return 0;
    }
    memcpy(text, data, bytes);
    if (laxity_regulation_plan_parse(text, &plan, &error) == 0) {
        decide(&plan);
    } else if (error.exit_code != LAXITY_EXIT_USAGE || error.text[0] == '\0') {
        abort();
    }
    free(text);
    return 0;
}

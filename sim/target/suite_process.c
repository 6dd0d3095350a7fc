/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What a guest's process is on a simulated platform: nothing that the kernel would have to be asked
 * for, whose answers differ from run to run. In place of native/guests/{attributes,leftovers}.c.
 */
#include "guests/attributes.h"
#include "guests/leftovers.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* In place of the C library's: whoever asks is told the same in every run. */
pid_t getpid(void)
{
    return 1;
}

int laxity_belongings_look(struct laxity_belongings *out_belongings)
{
    memset(out_belongings, 0, sizeof *out_belongings);
    return 0;
}

int laxity_leftovers_since(
    const struct laxity_belongings *before,
    const struct laxity_belongings *ready,
    bool may_be_before,
    struct laxity_leftovers *out_leftovers
)
{
    (void)before;
    (void)ready;
    (void)may_be_before;
    memset(out_leftovers, 0, sizeof *out_leftovers);
    return 0;
}

int laxity_leftovers_close(const struct laxity_belongings *before)
{
    (void)before;
    return 0;
}

void laxity_leftovers_answer_again(const struct laxity_belongings *before)
{
    (void)before;
}

void laxity_attributes_restore(const struct laxity_attributes *before)
{
    (void)before;
}

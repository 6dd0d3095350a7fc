/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What no program of a simulated platform may ask the kernel for, for whoever only records it. */
#ifndef LAXITY_SIM_FORBIDDEN_H
#define LAXITY_SIM_FORBIDDEN_H

#include "base/error.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of a program that calls it, by the call's name. */
#define LAXITY_SIM_WHY_FORBIDDEN                                                                   \
    "it calls %s: threads and processes are not simulated; run it without --platform"

struct laxity_sim_call_table;

/* laxity_sim_call_table_of - the calls of the processor that a program, an ELF file, is for; NULL
 * with error set: it cannot be read, or its processor is not known */
const struct laxity_sim_call_table *
laxity_sim_call_table_of(const char *program, struct laxity_error *error);

/* laxity_sim_call_isa - the name of that processor, as cross builds have it */
const char *laxity_sim_call_isa(const struct laxity_sim_call_table *table);

/* laxity_sim_call_name - NULL: there is no call of that number */
const char *laxity_sim_call_name(const struct laxity_sim_call_table *table, uint64_t number);

/* laxity_sim_forbidden_call - the name of a call that makes threads or processes; NULL: it is none
 */
const char *laxity_sim_forbidden_call(const struct laxity_sim_call_table *table, uint64_t number);

/*
 * laxity_sim_question - the name of a call whose answer may change until a later run, so that
 * the stream of the program is kept for none; NULL: the answer is known to be the same
 *
 * `n_of_start` counts what the C library has asked when it began, 0 at first. `arguments` are the
 * call's LAXITY_RECORD_ARGUMENTS.
 */
const char *laxity_sim_question(
    const struct laxity_sim_call_table *table,
    unsigned *n_of_start,
    uint64_t number,
    const uint64_t *arguments
);

#ifdef __cplusplus
}
#endif

#endif

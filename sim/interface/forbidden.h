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

/* laxity_sim_call_name - NULL: there is no call of that number */
const char *laxity_sim_call_name(const struct laxity_sim_call_table *table, uint64_t number);

/* laxity_sim_forbidden_call - the name of a call that makes threads or processes; NULL: it is none
 */
const char *laxity_sim_forbidden_call(const struct laxity_sim_call_table *table, uint64_t number);

/* laxity_sim_file_call - the name of a call that finds files by their names, so that what a program
 * does next may depend on what is in them, or on where it was started; NULL: it does not
 */
const char *laxity_sim_file_call(const struct laxity_sim_call_table *table, uint64_t number);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What kind of memory an address of a program is: by the sections of its executable, then by what
 * it has asked brk and mmap for.
 */
#ifndef LAXITY_SIM_STORAGE_H
#define LAXITY_SIM_STORAGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"

enum laxity_sim_storage_class {
    LAXITY_SIM_CODE, /* as data: constants that lie within it */
    LAXITY_SIM_CONSTANTS,
    LAXITY_SIM_DATA,
    LAXITY_SIM_BSS,
    LAXITY_SIM_HEAP,
    LAXITY_SIM_STACK, /* all the rest */
    LAXITY_SIM_STORAGE_CLASSES,
};

struct laxity_sim_storage;

/* laxity_sim_storage_open - of an executable, static and at fixed addresses; it has no heap yet.
 * Returns 0, or -1 with error set: it is no program of ELF. Without sections all is stack or heap.
 */
int laxity_sim_storage_open(
    const char *program, struct laxity_sim_storage **out_storage, struct laxity_error *error
);
/* NULL: nothing. */
void laxity_sim_storage_close(struct laxity_sim_storage *storage);

/* laxity_sim_storage_take - the next word of a call or a return (interface/records.h), and of
 * nothing else */
void laxity_sim_storage_take(struct laxity_sim_storage *storage, uint64_t word);

enum laxity_sim_storage_class
laxity_sim_storage_of(const struct laxity_sim_storage *storage, uint64_t address);

#ifdef __cplusplus
}
#endif

#endif

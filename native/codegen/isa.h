/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The four instructions of generated code, as words of 4 bytes, for every instruction set of ours.
 *
 * All of them are known in every build, so that a test on any machine checks all; a program can run
 * the code of laxity_isa_host() only.
 */
#ifndef LAXITY_CODEGEN_ISA_H
#define LAXITY_CODEGEN_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct laxity_isa {
    const char *name; /* as meson's cross files are called */
    bool is_big_endian;
    uint32_t add; /* register += 0; the register is argument and result of the code's call */
    uint32_t add_one;
    uint32_t return_to_caller;
    uint32_t trap; /* stands where nothing may be executed */
    /* Jump ahead by `distance` bytes: a multiple of 4 from 8 to LAXITY_LONGEST_LINE_BYTES. */
    uint32_t (*jump)(uint32_t distance);
};

enum {
    LAXITY_ISAS = 5
};

extern const struct laxity_isa laxity_isas[LAXITY_ISAS];

/* laxity_isa_host - that of this build; NULL if code cannot be generated for it */
const struct laxity_isa *laxity_isa_host(void);

/* laxity_isa_put - write one word as the instruction set reads it */
void laxity_isa_put(const struct laxity_isa *isa, unsigned char *at, uint32_t word);

#endif

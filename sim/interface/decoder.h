/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What instructions need and take, by LLVM's tables: a decoder of translated blocks for the engine.
 *
 * Registers are numbered as the architecture has them: what overlaps (s0, d0, q0; eax, rax) shares
 * a number, flags are a register, the program counter and a register that is always zero are none.
 * Of a load only the registers whose values come from memory are written; a base register that it
 * updates is known without the memory, and only read.
 *
 * Ticks are those of a static schedule of the block, begun with an empty pipeline: instructions are
 * issued in order, at most as many in a cycle as the processor issues (a tick apart, so that none
 * takes no time), each when its operands are ready, if loads hit. An instruction takes the time
 * until the next one is issued; the last one the rest of its cycle.
 */
#ifndef LAXITY_SIM_DECODER_H
#define LAXITY_SIM_DECODER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"
#include "interface/engine.h"

enum {
    LAXITY_SIM_OPCODES_BYTES = 120,
};

struct laxity_sim_decoder_options {
    const char *architecture; /* armhf, powerpc, aarch64, riscv64 or x86_64 */
    const char *scheduling;   /* LLVM's name of a processor; "none": ticks stay as they are */
    const char *program;      /* its ELF file, which tells ARM from Thumb; NULL: sizes tell */
    uint32_t cycle_ticks;     /* >= 1 */
};

/* Of the instructions decoded so far, each as often as it stands in a block. */
struct laxity_sim_decoder_stats {
    uint64_t instructions;
    uint64_t undecodable;                   /* have no registers, and the ticks they came with */
    uint64_t without_latency;               /* have the ticks they came with */
    char opcodes[LAXITY_SIM_OPCODES_BYTES]; /* those without latency: LLVM's names, the most
                                               frequent first */
};

/*
 * laxity_sim_decoder_open - a decoder for a program; closed by laxity_sim_decoder_close
 *
 * Returns 0, or -1 with error set: an unknown architecture or processor, no memory.
 */
int laxity_sim_decoder_open(
    const struct laxity_sim_decoder_options *options,
    struct laxity_sim_decoder *out_decoder,
    struct laxity_error *error
);

void laxity_sim_decoder_read_stats(
    const struct laxity_sim_decoder *decoder, struct laxity_sim_decoder_stats *out_stats
);

void laxity_sim_decoder_close(struct laxity_sim_decoder *decoder);

#ifdef __cplusplus
}
#endif

#endif

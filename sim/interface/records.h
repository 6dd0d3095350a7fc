/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What the front end tells of a program, in the order of its execution: words of 64 bits in the
 * byte order of this machine, through a pipe. The front end decodes nothing.
 *
 *   block     the first time a block is translated: BLOCK | id, its address, how many instructions
 *             it has, their sizes as bytes, their code as one string of bytes (each of the two
 *             padded with zeroes to whole words)
 *   execution EXECUTION | id: the block begins
 *   access    address in the low 48 bits, then what the shifts below say
 *   call      CALL | number of a system call, its six arguments: the program asks the kernel
 *   return    CALL | RETURN | the number, its value: the kernel has answered; only of brk, mmap,
 *             mmap2, mremap, whose values are addresses, or -errno
 *
 * Sizes and code are bytes as they lie in memory, whatever the byte order of the program: what was
 * read into an array of words is, as bytes, the bytes of the program. Numbers are numbers: an
 * address of a big-endian program needs no turning.
 *
 * An instruction that accesses nothing (a predicated one, say) leaves no record; neither does what
 * the kernel reads and writes for a call. A call that ends the program does not return.
 */
#ifndef LAXITY_SIM_RECORDS_H
#define LAXITY_SIM_RECORDS_H

#include <stdint.h>

enum {
    LAXITY_RECORD_KIND_SHIFT = 62,
    LAXITY_RECORD_SIZE_SHIFT = 48,  /* of an access: logarithm of its bytes, four bits */
    LAXITY_RECORD_STORE_SHIFT = 52, /* one bit */
    LAXITY_RECORD_INDEX_SHIFT = 53, /* of its instruction within the block, nine bits */
    LAXITY_RECORD_INSTRUCTIONS_MAX = 512,
    LAXITY_RECORD_ARGUMENTS = 6,
    LAXITY_RECORD_WORDS = 8192, /* written together, at least */
};

enum laxity_sim_record {
    LAXITY_SIM_ACCESS,
    LAXITY_SIM_EXECUTION,
    LAXITY_SIM_BLOCK,
    LAXITY_SIM_CALL,
};

/* The number of a call has 32 bits. */
#define LAXITY_RECORD_RETURN (UINT64_C(1) << 32)
#define LAXITY_RECORD_ADDRESS_MASK ((UINT64_C(1) << LAXITY_RECORD_SIZE_SHIFT) - 1)

/*
 * Where programs of simulated platforms have their table of marks (native/harness/marks.h): the
 * same address in all, so that nobody needs their symbols. A store there is a mark, no access.
 */
#define LAXITY_SIM_MARKS_ADDRESS UINT64_C(0x60000000)

#endif

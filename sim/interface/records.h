/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What the front end tells of a program, in the order of its execution: words of 64 bits in the
 * byte order of this machine, through a pipe. The front end decodes nothing.
 *
 *   block     the first time a block is translated: BLOCK | id, its address, how many instructions
 *             it has, their sizes as bytes, their code (each padded to whole words)
 *   execution EXECUTION | id: the block begins
 *   access    address in the low 48 bits, then what the shifts below say
 *
 * An instruction that accesses nothing (a predicated one, say) leaves no record.
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
    LAXITY_RECORD_WORDS = 8192, /* written together */
};

enum laxity_sim_record {
    LAXITY_SIM_ACCESS,
    LAXITY_SIM_EXECUTION,
    LAXITY_SIM_BLOCK,
};

#define LAXITY_RECORD_ADDRESS_MASK ((UINT64_C(1) << LAXITY_RECORD_SIZE_SHIFT) - 1)

/*
 * Where programs of simulated platforms have their table of marks (native/harness/marks.h): the
 * same address in all, so that nobody needs their symbols. A store there is a mark, no access.
 */
#define LAXITY_SIM_MARKS_ADDRESS UINT64_C(0x60000000)

#endif

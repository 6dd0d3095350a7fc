/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What the executable of a program says of its memory. */
#ifndef LAXITY_SIM_LAYOUT_H
#define LAXITY_SIM_LAYOUT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"
#include "interface/engine.h"

enum {
    LAXITY_SIM_DIGEST_WORDS = 2, /* XXH3, of 128 bits */
    LAXITY_SIM_SHARED_MAX = 16,  /* linkers make two; each that is written between splits one */
};

struct laxity_sim_layout {
    uint64_t digest[LAXITY_SIM_DIGEST_WORDS]; /* of the whole file: equal for equal programs */
    /* Whole pages of segments that are not written, without those that one that is written touches;
     * as laxity_sim_task has them. None where addresses are not fixed. */
    uint32_t n_shared;
    struct laxity_sim_range shared[LAXITY_SIM_SHARED_MAX];
};

/* laxity_sim_layout_read - 0, or -1 with error set: it cannot be read, or is no program of ELF */
int laxity_sim_layout_read(
    const char *path, struct laxity_sim_layout *out_layout, struct laxity_error *error
);

#ifdef __cplusplus
}
#endif

#endif

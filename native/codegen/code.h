/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Generated code: one large sequence of `add 0` of a given size, entered line by line.
 *
 * Of each cache line the first instructions are executed, as many as the shape says, the last of
 * them being a jump to the next line; a line that is executed whole needs none. The last one of the
 * last line returns. So a pass executes laxity_shape_uses() instructions exactly, and the code is
 * as large as asked for, to the byte.
 *
 * Source: Sebek, "The real cost of task pre-emptions", sections 3.1 and 3.3; his loop is the
 * caller's.
 */
#ifndef LAXITY_CODEGEN_CODE_H
#define LAXITY_CODEGEN_CODE_H

#include "base/error.h"
#include "codegen/isa.h"
#include "codegen/shape.h"

#include <stddef.h>
#include <stdint.h>

enum laxity_code_add {
    LAXITY_CODE_ADD_ZERO,
    LAXITY_CODE_ADD_ONE /* the result then tells how many were executed */
};

/* One code or several alike, one behind the other. */
struct laxity_code {
    unsigned char *start;
    size_t bytes; /* of all copies */
    size_t mapped_bytes;
};

/* laxity_code_adds - instructions of one pass that are neither jump nor return */
uint64_t laxity_code_adds(const struct laxity_shape *shape);

/* laxity_code_write - write shape->bytes of code to `out`, for any instruction set */
void laxity_code_write(
    const struct laxity_isa *isa,
    const struct laxity_shape *shape,
    enum laxity_code_add add,
    unsigned char *out
);

/*
 * laxity_code_make - `copies` of code of this machine, ready to run, and proven to execute what
 * they say
 *
 * First it is written with `add 1`, run once and its result compared; then with `add 0`, in the
 * same place: stale instructions would show. Returns 0, or -1 with error set; to be freed by
 * laxity_code_free().
 */
int laxity_code_make(
    const struct laxity_shape *shape,
    size_t copies,
    struct laxity_code *out_code,
    struct laxity_error *error
);

/*
 * laxity_code_run - execute from the line at `offset` to the end of the copy that it lies in
 *
 * So 0 makes one pass over the first copy, and a larger offset one over its last lines. Returns
 * `value`, to which every add has added.
 */
uintptr_t laxity_code_run(const struct laxity_code *code, size_t offset, uintptr_t value);

/* Also of a code that is all zeros. */
void laxity_code_free(struct laxity_code *code);

#endif

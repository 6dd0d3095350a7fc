/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A stored stream as a source of words (sim/streams/file.hpp). */
#ifndef LAXITY_SIM_STORED_H
#define LAXITY_SIM_STORED_H

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"
#include "interface/engine.h"

#include <stdint.h>

/*
 * laxity_sim_stored_open - a source that reads a file; laxity_sim_stored_close ends it
 *
 * What it reads is what was recorded, to the bit, or it ends and tells why. Returns 0, or -1 with
 * error set: the file is no stored stream, or a damaged one.
 */
int laxity_sim_stored_open(
    const char *path, struct laxity_sim_source *out_source, struct laxity_error *error
);

/* A program from its beginning: 0, or -1 with error set. */
struct laxity_sim_beginning {
    void *context;
    uint32_t index;
    int (*start)(
        void *context,
        uint32_t index,
        struct laxity_sim_source *out_source,
        struct laxity_error *error
    );
};

/*
 * laxity_sim_stored_continue - a source of a program whose beginning alone is in the file
 *
 * Behind the last word of the file the program is executed. It does again what is in the file,
 * which is not read again, or the source ends and tells that it has not.
 */
void laxity_sim_stored_continue(
    struct laxity_sim_source *source, struct laxity_sim_beginning beginning
);

/* Any other source is left alone. */
void laxity_sim_stored_close(struct laxity_sim_source *source);

/* laxity_sim_stored_output - what the program has printed until its end; any other source: NULL */
const char *laxity_sim_stored_output(const struct laxity_sim_source *source, size_t *out_bytes);

#ifdef __cplusplus
}
#endif

#endif

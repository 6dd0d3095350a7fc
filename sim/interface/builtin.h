/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A program that is not traced but made up: jobs that consist of loops over memory, as words of
 * records.h. The loops are those of the probes and of their preemptors, an instruction of four
 * bytes after the other.
 */
#ifndef LAXITY_SIM_BUILTIN_H
#define LAXITY_SIM_BUILTIN_H

#include "interface/engine.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is done with each element of a loop. */
enum laxity_sim_body {
    LAXITY_SIM_WALK,        /* read a byte, write the next one */
    LAXITY_SIM_CHASE,       /* count a visit, go where the element says */
    LAXITY_SIM_TOUCH,       /* read a byte */
    LAXITY_SIM_UPDATE,      /* read a byte, and write it */
    LAXITY_SIM_FOLLOW,      /* go where the element says */
    LAXITY_SIM_READ_INDEX,  /* read a word whose index is known */
    LAXITY_SIM_WRITE_INDEX, /* write such a word */
    LAXITY_SIM_STREAM_READ, /* 64 bytes, 16 at a time */
    LAXITY_SIM_STREAM_WRITE,
    LAXITY_SIM_STREAM_COPY, /* to the element */
    LAXITY_SIM_STAMP,       /* what a loop that takes time stamps executes between two of them */
    LAXITY_SIM_EXECUTE,     /* the element is a line of code */
    LAXITY_SIM_SPIN,        /* no memory is used; as long as said, in one instruction or several */
    LAXITY_SIM_BODIES,
};

struct laxity_sim_loop {
    enum laxity_sim_body body;
    uint32_t instructions; /* EXECUTE: of each line */
    uint64_t n;            /* elements; SPIN: ticks */
    uint64_t address;      /* of element 0 */
    uint64_t step_bytes;
    const uint32_t *order; /* element i lies order[i] steps behind that; NULL: i steps */
    uint64_t second;       /* COPY: where what is copied begins */
};

struct laxity_sim_stream;

/* Returns NULL without memory. */
struct laxity_sim_stream *laxity_sim_stream_new(void);
void laxity_sim_stream_free(struct laxity_sim_stream *stream);

/* laxity_sim_stream_put - its next job. What `order` points to must stay until that has finished.
 */
void laxity_sim_stream_put(
    struct laxity_sim_stream *stream, const struct laxity_sim_loop *loops, size_t n
);

/* laxity_sim_stream_source - its words. Not more than the job that was put last is read; who reads
 * on reads what is skipped. */
struct laxity_sim_source laxity_sim_stream_source(struct laxity_sim_stream *stream);

/* laxity_sim_stream_decoder - knows the registers and the ticks of the instructions of streams */
struct laxity_sim_decoder laxity_sim_stream_decoder(void);

#ifdef __cplusplus
}
#endif

#endif

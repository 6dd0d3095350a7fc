/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The scheduling trace of a simulated platform: sched.npy, threads.npy and trace.json, as
 * laxity-trace writes them of a machine. A program is a thread; its number is its index + 1.
 */
#ifndef LAXITY_SIM_SCHEDULE_H
#define LAXITY_SIM_SCHEDULE_H

#include "base/npy.h"
#include "harness/segment.h"
#include "interface/engine.h"
#include "schema/streams.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LAXITY_SIM_SCHEDULE_ROWS = 4096,
};

struct laxity_sim_schedule {
    bool is_open;
    int rc; /* of the first write that failed */
    struct laxity_npy npy;
    struct laxity_sched_row rows[LAXITY_SIM_SCHEDULE_ROWS];
    size_t n_rows; /* not yet written */
    struct {
        uint64_t seq;
        struct laxity_sched_row off; /* waits for who comes next */
        bool has_off;
        bool is_handed_on; /* at once, with no time in between in which it is idle */
    } cores[LAXITY_SIM_CORES_MAX];
};

/* laxity_sim_schedule_tid - number of the thread that stands for a program */
int32_t laxity_sim_schedule_tid(uint32_t program);

/* laxity_sim_schedule_open - make sched.npy. Returns 0 or -errno. */
int laxity_sim_schedule_open(int dir_fd, struct laxity_sim_schedule *out_schedule);

/* laxity_sim_schedule_put - a core does something with a program. Does nothing if it is not open.
 */
void laxity_sim_schedule_put(
    struct laxity_sim_schedule *schedule,
    uint32_t core,
    uint32_t program,
    enum laxity_sim_turn turn,
    int64_t time_ns
);

/*
 * laxity_sim_schedule_close - the rest of the rows, threads.npy and trace.json
 *
 * After the harness's streams have been closed. Returns 0 or -errno; does nothing if it is not
 * open.
 */
int laxity_sim_schedule_close(
    struct laxity_sim_schedule *schedule, struct laxity_segment *segment, int dir_fd, uint32_t cores
);

#endif

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Stretches over which a whole run stood still: stopped by SIGSTOP, frozen, in a debugger, or on a
 * virtual machine that was paused. Its clock went on, so its jobs are late for no fault of theirs.
 *
 * The supervisor notices that it looked later than it had asked for, although it did not wait for a
 * CPU, while no task did anything. The kernel reports tasks that are stopped alone; programs below
 * a task are looked at.
 */
#ifndef LAXITY_HARNESS_STALLS_H
#define LAXITY_HARNESS_STALLS_H

#include "base/error.h"
#include "harness/segment.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* When the supervisor looked last, and what had been used until then. */
struct laxity_heartbeat {
    int delay_fd; /* /proc/self/schedstat; -1 = this kernel has none */
    int64_t beat_ns;
    int64_t delay_ns;  /* that the supervisor has waited for a CPU */
    int64_t busy_ns;   /* processor time of all tasks */
    bool is_continued; /* SIGCONT has come since */
};

/* What happened between two looks. */
struct laxity_beat_gap {
    int64_t late_ns;  /* beyond what was asked for */
    int64_t delay_ns; /* of which the supervisor waited for a CPU; 0 if not known */
    int64_t busy_ns;  /* processor time that the tasks had meanwhile */
    bool is_continued;
};

/* laxity_is_standstill - whether nothing of a run got a CPU over most of a gap, as far as times
 * tell */
bool laxity_is_standstill(const struct laxity_beat_gap *gap);

/*
 * laxity_find_hole - a stretch of at least `least_ns` between from_ns and to_ns in which no job of
 * any task began or ended
 *
 * Returns true with the stretch.
 */
bool laxity_find_hole(
    struct laxity_segment *segment, int64_t least_ns, int64_t *inout_from_ns, int64_t *inout_to_ns
);

/* laxity_heartbeat_begin - with the first release */
void laxity_heartbeat_begin(struct laxity_heartbeat *heartbeat, struct laxity_segment *segment);

/* laxity_heartbeat_look - after a wait of at most wait_ms; notes a standstill in the segment */
void laxity_heartbeat_look(
    struct laxity_heartbeat *heartbeat, struct laxity_segment *segment, int wait_ms
);

void laxity_heartbeat_end(struct laxity_heartbeat *heartbeat);

/* laxity_note_stop - what waitpid says of a child that has not ended: stopped, or continued */
void laxity_note_stop(struct laxity_segment *segment, pid_t pid, int wait_status);

/* laxity_stalled_until_ns - end of the last standstill of the whole run; 0 = none yet */
int64_t laxity_stalled_until_ns(const struct laxity_segment *segment);

/* laxity_judge_stalled - at the run's end; as laxity_judge_displaced */
void laxity_judge_stalled(struct laxity_segment *segment, struct laxity_error *error);

#endif

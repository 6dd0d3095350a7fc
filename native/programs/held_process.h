/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A process that becomes a program and is held before its entry until its job is released.
 *
 * Two ways. A dynamic program gets a stub preloaded, which holds it in its own process before its
 * constructors and main: loading and relocating are over, memory is locked, and the process wakes
 * up for its release as any task does. What cannot be preloaded (static programs, scripts, another
 * C library) is stopped at the end of exec (ptrace) and let go by its task: dynamic linking, if
 * there is any, is then in the job, and so is the way from the task to it.
 */
#ifndef LAXITY_PROGRAMS_HELD_PROCESS_H
#define LAXITY_PROGRAMS_HELD_PROCESS_H

#include "base/error.h"
#include "programs/hold.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum laxity_hold_way {
    LAXITY_HOLD_PRELOADED,
    LAXITY_HOLD_AT_EXEC
};

struct laxity_held_process {
    char **words; /* the program and what it is told, NULL at the end */
    enum laxity_hold_way way;
    char *stub;  /* path of the object to preload */
    int stub_fd; /* it, where LD_PRELOAD cannot name that path; -1 = it can */
    int hold_fd;
    struct laxity_hold *hold;
    int input_fd;
    int output_fd; /* of its standard output and error: a file in memory */
};

/*
 * laxity_held_open - choose the way, open input and output; once, before the first job
 *
 * words[0] is a path. input_path "" = an empty standard input. Returns 0, or -1 with error set.
 */
int laxity_held_open(
    struct laxity_held_process *held,
    char **words,
    const char *input_path,
    struct laxity_error *error
);

/* laxity_held_reset - before the process of the next job exists */
void laxity_held_reset(
    const struct laxity_held_process *held, int64_t release_ns, bool locks_memory, bool has_ticks
);

/* laxity_held_become - in a process just forked; never returns */
_Noreturn void laxity_held_become(const struct laxity_held_process *held);

/* laxity_held_become_free - the same, and is not held; its output is that of this process. Returns
 * -errno. */
int laxity_held_become_free(const struct laxity_held_process *held);

/* laxity_held_await_stop - of LAXITY_HOLD_AT_EXEC: until it is stopped. Returns 0, or -1 with error
 * set. */
int laxity_held_await_stop(
    const struct laxity_held_process *held, pid_t process, struct laxity_error *error
);

/* laxity_held_let_go - of LAXITY_HOLD_AT_EXEC: note what it has used and when it begins */
void laxity_held_let_go(const struct laxity_held_process *held, pid_t process);

#endif

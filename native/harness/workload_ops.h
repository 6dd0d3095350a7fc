/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What a workload does beyond the hooks of <laxity/hooks.h>: one table, in which a member that is
 * 0 or NULL means that the workload does not need it.
 *
 * A workload fills in its members by a constructor, before main(). An archive's object is linked
 * only if something refers to it, so that constructor stands in a file which is linked for another
 * reason: the one with the workload's hooks, or with a symbol that the link asks for.
 */
#ifndef LAXITY_HARNESS_WORKLOAD_OPS_H
#define LAXITY_HARNESS_WORKLOAD_OPS_H

#include "base/error.h"
#include "harness/segment.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Of RT-Bench's command line: the log file of a port that has one. */
#define LAXITY_LOG_FILE_VARIABLE "LAXITY_RTBENCH_LOG_FILE"

/* What a job spent in its regions of interest, on the wall clock. */
struct laxity_job_regions {
    int64_t total_ns; /* LAXITY_ABSENT_NS = it entered none */
    uint32_t count;   /* that it entered and left */
};

/*
 * A job that is a process of a program which knows nothing of us. The process exists before its
 * release and is held there, at its entry. All of them are needed.
 */
struct laxity_program_ops {
    /* In the task, before the process of its next job is made. */
    void (*prepare)(const struct laxity_segment *segment, int64_t release_ns);

    /* In a process just forked: becomes the program, which is held. Does not return. */
    void (*become)(void);

    /* In a process just forked: becomes the program, which is not held: a pass of a co-runner.
     * Returns -errno. */
    int (*become_free)(void);

    /*
     * In the task: wait until the process is held. *out_is_ours: it is held until `release`, else
     * it waits for its release itself. Returns 0, or -1 with error set: it could not become the
     * program, or be held.
     */
    int (*hold)(pid_t process, bool *out_is_ours, struct laxity_error *error);

    /* At its release: let it begin, and note when. */
    void (*release)(pid_t process);

    /* Whether its job has begun. */
    bool (*has_started)(void);

    /*
     * After its end, before it is reaped: what the job used. finish_ns is when its end was seen.
     * Returns 0, or -1 with error set: it was never held, so nothing of it is a figure.
     */
    int (*take)(
        pid_t process,
        int64_t finish_ns,
        struct laxity_job_record *record,
        struct laxity_error *error
    );

    /* When it was prepared, of one that was held. */
    int64_t (*ready_ns)(void);

    /* Before the first job and after each: what of holding it is less than asked for. */
    void (*note)(struct laxity_process_state *state);

    /* What only the reaped process tells; then its output is passed on. */
    void (*reaped)(const struct rusage *usage, struct laxity_job_record *record);
};

/* Values that a workload tells of each job in another way than by benchmark_log_data. */
struct laxity_log_ops {
    /* After benchmark_init: the names of their columns between commas, and how many values there
     * are. NULL = none. */
    const char *(*header)(unsigned *out_n);

    /* After each job: its first n values. NaN = it has none. */
    void (*read)(float *out_values, unsigned n);
};

struct laxity_workload_ops {
    /*
     * Become the executable whose jobs these are. Called with all words of a process of a run,
     * before it has touched anything of it. Returns if there is none.
     */
    void (*hand_over)(char **argv);

    /* A job, in place of benchmark_execution, which it calls: it has threads to release. */
    void (*execute)(int argc, void **argv);

    /* -l of RT-Bench's command line, before benchmark_init. */
    void (*set_log_level)(uint32_t level);

    /* A port that was built to log to a file; set_log_level opens what the environment names. */
    bool has_log_file;

    /* NULL = the workload has benchmark_log_header and benchmark_log_data, or neither. */
    const struct laxity_log_ops *log;

    /* RT-Bench's CSV has its columns of counters. */
    bool counts_events;

    /* RT-Bench's CSV has no rows of skipped deadlines. */
    bool hides_skipped;

    /*
     * Each job is to do its work so often, more than once; before benchmark_init. For work that is
     * shorter than a clock can tell.
     */
    void (*set_calls)(uint32_t calls);

    /*
     * Its memory need is going to be measured: between jobs nothing may take memory that is not the
     * program's. Called before benchmark_init. NULL = it is from before benchmark_init to after
     * benchmark_teardown, else from behind the one to before the other: nothing of the program runs
     * in them.
     */
    void (*measure_need)(void);

    /*
     * Where jobs run; benchmark_init may still choose. In a child or a fresh process isolate_next
     * is called in each, before the release that it waits for, and nowhere else.
     */
    enum laxity_job_process job_process;

    /*
     * Make ready for the next job. Called before the first release and after each job, when its
     * record is published and before the next release is waited for. What it takes is no part of
     * any job, and is stored apart. If it takes longer than until the next release, that job starts
     * late.
     */
    void (*isolate_next)(void);

    /*
     * In a copy of the task's process that is about to become the fresh process of a job: give it
     * its words, as benchmark_init had them and theirs to change.
     */
    void (*prepare_fresh)(char **words);

    /*
     * Why the job that has just ended is aborted (enum laxity_end), or LAXITY_END_NONE. Asked after
     * its log value. The next job goes on.
     */
    uint32_t (*job_cause)(void);

    /* Of the job that has just ended: extra columns of jobs.npy, which leave all others as they
     * are. */
    struct laxity_job_regions (*regions_of_job)(void);

    /* Whether those columns are to be there; benchmark_init may still say so. */
    bool has_regions;

    /* Where job_process says LAXITY_JOB_IN_PROGRAM, and nowhere else. */
    const struct laxity_program_ops *program;
};

/* laxity_workload_ops - the table of this process's workload */
struct laxity_workload_ops *laxity_workload_ops(void);

#endif

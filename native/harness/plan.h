/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A run as asked for: what the command line says, before anything exists. */
#ifndef LAXITY_HARNESS_PLAN_H
#define LAXITY_HARNESS_PLAN_H

#include "harness/segment.h"
#include "regulator/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* The words of a workload, as they will stand in argv. */
struct laxity_words {
    char **items;
    unsigned n;
};

struct laxity_task_plan {
    struct laxity_task_config config;
    char *path; /* of the executable */
    struct laxity_words words;
};

struct laxity_corunner_plan {
    struct laxity_process_config config;
    char *path;
    struct laxity_words words;
};

struct laxity_run_plan {
    const char *run_dir;
    int64_t duration_ns; /* LAXITY_ABSENT_NS = none */
    uint64_t seed;
    enum laxity_snapshots snapshots;
    enum laxity_keep keep;
    uint64_t keep_rows;
    struct laxity_stop_on stop_on;
    bool is_idle_poll;
    bool is_fail_fast; /* a task that fails ends the others too */
    int progress_fd;   /* -1 = none */
    int parent_fd;     /* -1 = none */
    const char *finisher;
    const struct laxity_regulation_plan *regulation; /* of co-runners; NULL = they always run */
    struct laxity_event events[LAXITY_EVENTS_MAX];   /* counted in every job */
    unsigned n_events;
    int64_t sample_bucket_ns; /* between samples within jobs; LAXITY_ABSENT_NS = none are taken */
    int32_t sample_cpu;       /* -1 = one that no task uses, if there is one */
    struct laxity_words launcher;   /* stands before the workloads in argv; empty = none */
    struct laxity_task_plan *tasks; /* of whoever makes the plan, as the co-runners */
    unsigned n_tasks;
    struct laxity_corunner_plan *corunners;
    unsigned n_corunners;
};

#endif

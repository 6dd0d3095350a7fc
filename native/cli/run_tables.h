/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The option tables of laxity-run and what they fill in. */
#ifndef LAXITY_CLI_RUN_TABLES_H
#define LAXITY_CLI_RUN_TABLES_H

#include "base/cpus.h"
#include "cli/event_options.h"
#include "cli/options.h"
#include "harness/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* Options before the first "--". */
struct laxity_common_options {
    const char *run_dir;
    const char *recover_dir;
    const char *finisher;
    struct laxity_words launcher;
    struct laxity_event_options events;
    int64_t duration_ns;
    uint64_t seed;
    uint64_t progress_fd;
    uint64_t parent_fd;
    int idle;
    int snapshots;
    struct laxity_keep_value keep;
    bool is_unprivileged_allowed;
    bool is_fail_fast;
    bool is_stop_on_miss;
    int64_t stop_on_response_ns; /* LAXITY_ABSENT_NS = none */
};

/* Options of one task or co-runner. */
struct laxity_segment_options {
    const char *name;
    int64_t period_ns;
    int64_t deadline_ns;
    int64_t offset_ns;
    int64_t job_timeout_ns;
    uint64_t jobs;
    uint64_t priority;
    int64_t runtime_ns; /* LAXITY_ABSENT_NS = none */
    uint64_t stack_bytes;
    uint64_t heap_bytes;
    uint64_t memory_limit_bytes;
    uint64_t threads;
    uint64_t calls;
    struct laxity_cpus cpus;
    struct laxity_words words;
    int policy;
    int overrun;
    bool is_corunner;
    bool is_own_program;
};

extern const struct laxity_option_table laxity_common_table;
extern const struct laxity_option_table laxity_segment_table;
extern const struct laxity_tool laxity_run_tool; /* of both */

#endif

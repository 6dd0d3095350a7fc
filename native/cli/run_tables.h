/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The options of laxity-run, which schema/run.toml declares, and what they fill in. */
#ifndef LAXITY_CLI_RUN_TABLES_H
#define LAXITY_CLI_RUN_TABLES_H

#include "base/cpus.h"
#include "cli/option.h"
#include "cli/options.h"
#include "harness/plan.h"
#include "schema/run.h"

#include <stdbool.h>
#include <stdint.h>

/* Options before the first "--". */
struct laxity_run_options {
    LAXITY_RUN_OPTION_MEMBERS
};

/* Options of one task or co-runner. */
struct laxity_task_options {
    LAXITY_TASK_OPTION_MEMBERS
};

extern const struct laxity_option_table laxity_run_table;
extern const struct laxity_option_table laxity_task_table;
extern const struct laxity_tool laxity_run_tool; /* of both */

#endif

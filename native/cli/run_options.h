/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The command line of laxity-run: text → plan. */
#ifndef LAXITY_CLI_RUN_OPTIONS_H
#define LAXITY_CLI_RUN_OPTIONS_H

#include "base/error.h"
#include "harness/plan.h"
#include "regulator/plan.h"

#include <stdbool.h>

struct laxity_run_request {
    struct laxity_run_plan plan;
    const char *recover_dir;                   /* --recover, NULL = a run is asked for */
    struct laxity_regulation_plan *regulation; /* of the plan, allocated */
};

/*
 * laxity_run_options_parse - read argv (without the program's name)
 *
 * Returns 0, or -1 with error set (exit 2). laxity_run_options_free gives back what it allocated,
 * in either case.
 */
int laxity_run_options_parse(
    int argc, char **argv, struct laxity_run_request *out_request, struct laxity_error *error
);

void laxity_run_options_free(struct laxity_run_request *request);

#endif

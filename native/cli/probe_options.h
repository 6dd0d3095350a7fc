/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The command line of laxity-probe: PROBE [OPTIONS]. */
#ifndef LAXITY_CLI_PROBE_OPTIONS_H
#define LAXITY_CLI_PROBE_OPTIONS_H

#include "base/error.h"
#include "cli/options.h"
#include "probes/crpd.h"
#include "probes/probe.h"

/* What is asked for; plan.settings points to the settings of the probe. */
struct laxity_probe_request {
    const struct laxity_probe *probe;
    struct laxity_probe_plan plan;
    struct laxity_crpd_settings crpd;
};

extern const struct laxity_tool laxity_probe_tool;

/*
 * laxity_probe_options_parse - read argv[0..argc), the name of the probe first
 *
 * Returns 0, or -1 with error set (exit 2; 3 where the machine lacks what is asked for). Freed by
 * laxity_probe_options_free in either case. `out_request` must not move while it is used.
 */
int laxity_probe_options_parse(
    int argc, char **argv, struct laxity_probe_request *out_request, struct laxity_error *error
);

void laxity_probe_options_free(struct laxity_probe_request *request);

#endif

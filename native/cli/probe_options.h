/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The command line of laxity-probe, which schema/probes.toml declares: [OPTIONS] PROBE [OPTIONS OF
 * PROBE]. */
#ifndef LAXITY_CLI_PROBE_OPTIONS_H
#define LAXITY_CLI_PROBE_OPTIONS_H

#include "base/error.h"
#include "cli/options.h"
#include "probes/probe.h"

#include <stddef.h>

/* A probe and its own part of the command line. */
struct laxity_probe_command {
    const struct laxity_probe *probe;
    struct laxity_option_table table;
    const void *defaults; /* what is in its settings before */
    size_t settings_bytes;
};

/* What is asked for; plan.settings points to `settings`, those of the probe. */
struct laxity_probe_request {
    const struct laxity_probe_command *command;
    struct laxity_probe_plan plan;
    void *settings;
};

/* laxity_probe_tool - all tables, for --help; valid as long as the process */
struct laxity_tool laxity_probe_tool(void);

/*
 * laxity_probe_options_parse - read argv[0..argc)
 *
 * Returns 0, or -1 with error set (exit 2; 3 where the machine lacks what is asked for). Freed by
 * laxity_probe_options_free in either case.
 */
int laxity_probe_options_parse(
    int argc, char **argv, struct laxity_probe_request *out_request, struct laxity_error *error
);

void laxity_probe_options_free(struct laxity_probe_request *request);

#endif

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The command line of laxity-probe: [OPTIONS] PROBE [OPTIONS OF PROBE]. */
#ifndef LAXITY_CLI_PROBE_OPTIONS_H
#define LAXITY_CLI_PROBE_OPTIONS_H

#include "base/error.h"
#include "cli/options.h"
#include "probes/probe.h"

#include <stddef.h>

/* A probe's own part of the command line; one file per probe. */
struct laxity_probe_command {
    const struct laxity_probe *probe;
    const struct laxity_option_table *table;
    size_t given_bytes;    /* of the struct that the table fills */
    const void *defaults;  /* what is in it before; NULL: zeros */
    size_t settings_bytes; /* of the probe's settings */
    /* Makes settings, zeros before, of what was given. Returns 0, or -1 with error set. */
    int (*take)(const void *given, void *settings, struct laxity_error *error);
    /* Frees what settings point to; NULL: nothing. */
    void (*free_members)(void *settings);
};

extern const struct laxity_probe_command laxity_crpd_command;
extern const struct laxity_probe_command laxity_memory_latency_command;
extern const struct laxity_probe_command laxity_migration_command;
extern const struct laxity_probe_command laxity_switch_command;
extern const struct laxity_probe_command laxity_migration_jobs_command;

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

/*
 * laxity_probe_settings_parse - read all of argv[0..argc), the words after the probe's name
 *
 * Returns its settings, freed by laxity_probe_settings_free; or NULL with error set (exit 2, 3). A
 * word that is no option is refused.
 */
void *laxity_probe_settings_parse(
    const struct laxity_probe_command *command, int argc, char **argv, struct laxity_error *error
);

/* laxity_probe_settings_free - NULL is allowed */
void laxity_probe_settings_free(const struct laxity_probe_command *command, void *settings);

#endif

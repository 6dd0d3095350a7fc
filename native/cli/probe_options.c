/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/probe_options.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/sched.h"
#include "cli/option.h"
#include "cli/options.h"
#include "probes/probe.h"
#include "schema/probes.h"
#include "schema/run.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAMES_BYTES = 128
};

static const struct laxity_option options[] = {LAXITY_PROBE_OPTIONS(struct laxity_probe_plan)};
static const struct laxity_option_table common_table = {
    "Options of every probe", options, sizeof options / sizeof options[0]
};

#define OPTIONS_OF(name, NAME)                                                                     \
    static const struct laxity_option name##_options[] = {                                         \
        LAXITY_##NAME##_OPTIONS(struct laxity_##name##_settings)                                   \
    };                                                                                             \
    static const struct laxity_##name##_settings name##_defaults = {                               \
        LAXITY_##NAME##_OPTION_DEFAULTS                                                            \
    };
#define COMMAND_OF(name, NAME)                                                                     \
    {.probe = &laxity_probe_##name,                                                                \
     .table =                                                                                      \
         {"Options of " #name, name##_options, sizeof name##_options / sizeof name##_options[0]},  \
     .defaults = &name##_defaults,                                                                 \
     .settings_bytes = sizeof name##_defaults},

LAXITY_PROBES(OPTIONS_OF)
static const struct laxity_probe_command commands[] = {LAXITY_PROBES(COMMAND_OF)};

enum {
    N_COMMANDS = sizeof commands / sizeof commands[0]
};

struct laxity_tool laxity_probe_tool(void)
{
    static const struct laxity_option_table *tables[1 + N_COMMANDS] = {&common_table};
    for (unsigned i = 0; i < N_COMMANDS; i++) {
        tables[1 + i] = &commands[i].table;
    }
    return (struct laxity_tool){
        .name = "laxity-probe",
        .usage = "laxity-probe --run-dir DIR [OPTIONS] PROBE [OPTIONS OF PROBE]",
        .summary = "Measure one cost of the platform and write every observation.",
        .tables = tables,
        .n_tables = sizeof tables / sizeof tables[0],
    };
}

/* The names of all probes, for messages. */
static void list_names(char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < N_COMMANDS && used + 1 < bytes; i++) {
        const char *separator = i == 0 ? "" : ", ";
        laxity_format(text + used, bytes - used, "%s%s", separator, commands[i].probe->name);
        used += strlen(text + used);
    }
}

static const struct laxity_probe_command *find_command(const char *name, struct laxity_error *error)
{
    for (unsigned i = 0; i < N_COMMANDS; i++) {
        if (strcmp(commands[i].probe->name, name) == 0) {
            return &commands[i];
        }
    }
    char names[NAMES_BYTES];
    list_names(names, sizeof names);
    laxity_error_set(
        error, LAXITY_EXIT_USAGE, "unknown probe \"%.60s\"; there are: %s", name, names
    );
    return NULL;
}

static int default_cpus(struct laxity_cpus *cpus, struct laxity_error *error)
{
    struct laxity_cpus allowed;
    if (!laxity_cpus_is_empty(cpus)) {
        return 0;
    }
    if (laxity_get_affinity(&allowed)) {
        return laxity_refuse(
            error, LAXITY_EXIT_LACKING, "cannot tell the CPUs; name one with --cpus"
        );
    }
    for (unsigned cpu = LAXITY_CPUS_MAX; cpu-- > 0;) {
        if (laxity_cpus_has(&allowed, cpu)) {
            laxity_cpus_add(cpus, cpu);
            return 0;
        }
    }
    return 0;
}

/* All of argv[0..argc), the words after the probe's name, into settings that hold the defaults. */
static int parse_settings(
    const struct laxity_probe_command *command,
    int argc,
    char **argv,
    void *settings,
    struct laxity_error *error
)
{
    const int used = laxity_options_parse(&command->table, argc, argv, settings, error);
    if (used >= 0 && used < argc) {
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "unexpected word \"%.60s\"; see --help", argv[used]
        );
    }
    if (used < 0 || laxity_options_complete(&command->table, settings, error)) {
        return -1;
    }
    return command->probe->check ? command->probe->check(settings, error) : 0;
}

int laxity_probe_options_parse(
    int argc, char **argv, struct laxity_probe_request *out_request, struct laxity_error *error
)
{
    struct laxity_probe_plan *plan = &out_request->plan;
    *out_request = (struct laxity_probe_request){.plan = {LAXITY_PROBE_OPTION_DEFAULTS}};
    const int used = laxity_options_parse(&common_table, argc, argv, plan, error);
    if (used < 0) {
        return -1;
    }
    const struct laxity_probe_command *command = find_command(used < argc ? argv[used] : "", error);
    if (!command) {
        return -1;
    }
    void *settings = malloc(command->settings_bytes);
    if (!settings) {
        return laxity_refuse(
            error, LAXITY_EXIT_LACKING, "no memory for the settings of %s", command->probe->name
        );
    }
    memcpy(settings, command->defaults, command->settings_bytes);
    out_request->command = command;
    out_request->settings = settings;
    plan->settings = settings;
    if (parse_settings(command, argc - used - 1, argv + used + 1, settings, error)) {
        return -1;
    }
    if (!plan->run_dir) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "no --run-dir");
    }
    return default_cpus(&plan->cpus, error);
}

void laxity_probe_options_free(struct laxity_probe_request *request)
{
    if (request->settings) {
        laxity_options_free(&request->command->table, request->settings);
        free(request->settings);
        request->settings = NULL;
    }
}

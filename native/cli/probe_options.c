/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/probe_options.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "cli/options.h"
#include "probes/probe.h"
#include "schema/run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    PRIORITY_DEFAULT = 80,
    PRIORITY_MAX = 98, /* who preempts has one more */
    FD_MAX = 1 << 20,
    REPETITIONS_DEFAULT = 60,
    REPETITIONS_MAX = 1000000,
    NAMES_BYTES = 128,
};
static const int64_t timeout_default_ns = INT64_C(600) * LAXITY_NS_PER_S;

struct probe_options {
    const char *run_dir;
    struct laxity_cpus cpus;
    uint64_t repetitions;
    uint64_t seed;
    uint64_t priority;
    uint64_t progress_fd;
    uint64_t parent_fd;
    int64_t timeout_ns;
    bool is_unprivileged_allowed;
};

#define AT(member) .offset = offsetof(struct probe_options, member)

static const struct laxity_option options[] = {
    {.name = "--run-dir",
     .metavar = "DIR",
     .kind = LAXITY_OPTION_TEXT,
     AT(run_dir),
     .help = "where the stream is written; made if it does not exist"},
    {.name = "--cpus",
     .letter = 'c',
     .metavar = "LIST",
     .default_text = "the last one that the caller may use",
     .kind = LAXITY_OPTION_CPUS,
     AT(cpus),
     .help = "measured one after the other"},
    {.name = "--repetitions",
     .metavar = "N",
     .default_text = "60",
     .kind = LAXITY_OPTION_COUNT,
     AT(repetitions),
     .low = 1,
     .high = REPETITIONS_MAX,
     .help = "observations at each place"},
    {.name = "--priority",
     .letter = 'f',
     .metavar = "N",
     .default_text = "80",
     .kind = LAXITY_OPTION_COUNT,
     AT(priority),
     .low = 1,
     .high = PRIORITY_MAX,
     .help = "of what is measured, 1-98; who preempts it has one more"},
    {.name = "--seed",
     .metavar = "N",
     .default_text = "1",
     .kind = LAXITY_OPTION_COUNT,
     AT(seed),
     .high = INT64_MAX,
     .help = "of everything that is drawn at random"},
    {.name = "--timeout",
     .metavar = "TIME",
     .default_text = "10m",
     .kind = LAXITY_OPTION_DURATION,
     AT(timeout_ns),
     .low = LAXITY_NS_PER_MS,
     .high = INT64_C(24) * 3600 * LAXITY_NS_PER_S,
     .help = "the measurement is ended, then killed"},
    {.name = "--allow-unprivileged",
     .kind = LAXITY_OPTION_FLAG,
     AT(is_unprivileged_allowed),
     .help = "FIFO where permitted, else OTHER"},
    {.name = "--progress-fd",
     .metavar = "FD",
     .kind = LAXITY_OPTION_COUNT,
     AT(progress_fd),
     .high = FD_MAX,
     .help = "write `progress ROWS ALL_ROWS NS` lines to FD"},
    {.name = "--parent-fd",
     .metavar = "FD",
     .kind = LAXITY_OPTION_COUNT,
     AT(parent_fd),
     .high = FD_MAX,
     .help = "end when the other end of this pipe is closed"},
};

static const struct laxity_option_table common_table = {
    "Options of every probe", options, sizeof options / sizeof options[0]
};

static const struct laxity_probe_command *const commands[] = {
    &laxity_crpd_command,
    &laxity_memory_latency_command,
    &laxity_migration_command,
    &laxity_switch_command,
    &laxity_migration_jobs_command,
};

enum {
    N_COMMANDS = sizeof commands / sizeof commands[0]
};

struct laxity_tool laxity_probe_tool(void)
{
    static const struct laxity_option_table *tables[1 + N_COMMANDS] = {&common_table};
    for (unsigned i = 0; i < N_COMMANDS; i++) {
        tables[1 + i] = commands[i]->table;
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
        laxity_format(text + used, bytes - used, "%s%s", separator, commands[i]->probe->name);
        used += strlen(text + used);
    }
}

static const struct laxity_probe_command *find_command(const char *name, struct laxity_error *error)
{
    for (unsigned i = 0; i < N_COMMANDS; i++) {
        if (strcmp(commands[i]->probe->name, name) == 0) {
            return commands[i];
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

static int take_plan(
    struct probe_options *given, struct laxity_probe_request *request, struct laxity_error *error
)
{
    if (!given->run_dir) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "no --run-dir");
    }
    if (default_cpus(&given->cpus, error)) {
        return -1;
    }
    request->plan = (struct laxity_probe_plan){
        .run_dir = given->run_dir,
        .cpus = given->cpus,
        .repetitions = given->repetitions,
        .seed = given->seed,
        .timeout_ns = given->timeout_ns,
        .priority = (int)given->priority,
        .progress_fd = given->progress_fd > 0 ? (int)given->progress_fd : -1,
        .parent_fd = given->parent_fd > 0 ? (int)given->parent_fd : -1,
        .is_unprivileged_allowed = given->is_unprivileged_allowed,
        .settings = request->settings,
    };
    return 0;
}

int laxity_probe_options_parse(
    int argc, char **argv, struct laxity_probe_request *out_request, struct laxity_error *error
)
{
    *out_request = (struct laxity_probe_request){0};
    struct probe_options given = {
        .repetitions = REPETITIONS_DEFAULT,
        .seed = 1,
        .priority = PRIORITY_DEFAULT,
        .timeout_ns = timeout_default_ns,
    };
    const int used = laxity_options_parse(&common_table, argc, argv, &given, error);
    if (used < 0) {
        return -1;
    }
    const struct laxity_probe_command *command = find_command(used < argc ? argv[used] : "", error);
    if (!command) {
        return -1;
    }
    out_request->command = command;
    out_request->settings =
        laxity_probe_settings_parse(command, argc - used - 1, argv + used + 1, error);
    return out_request->settings ? take_plan(&given, out_request, error) : -1;
}

void laxity_probe_options_free(struct laxity_probe_request *request)
{
    if (request->settings) {
        laxity_probe_settings_free(request->command, request->settings);
        request->settings = NULL;
    }
}

static int fill_settings(
    const struct laxity_probe_command *command,
    int argc,
    char **argv,
    void *given,
    void *settings,
    struct laxity_error *error
)
{
    if (!given || !settings) {
        return laxity_refuse(
            error, LAXITY_EXIT_LACKING, "no memory for the settings of %s", command->probe->name
        );
    }
    if (command->defaults) {
        memcpy(given, command->defaults, command->given_bytes);
    }
    const int used = laxity_options_parse(command->table, argc, argv, given, error);
    if (used >= 0 && used < argc) {
        laxity_error_set(
            error, LAXITY_EXIT_USAGE, "unexpected word \"%.60s\"; see --help", argv[used]
        );
    }
    return used == argc ? command->take(given, settings, error) : -1;
}

void *laxity_probe_settings_parse(
    const struct laxity_probe_command *command, int argc, char **argv, struct laxity_error *error
)
{
    void *given = calloc(1, command->given_bytes);
    void *settings = calloc(1, command->settings_bytes);
    const int rc = fill_settings(command, argc, argv, given, settings, error);
    if (given) {
        laxity_options_free_words(command->table, given);
    }
    free(given);
    if (rc) {
        laxity_probe_settings_free(command, settings);
        return NULL;
    }
    return settings;
}

void laxity_probe_settings_free(const struct laxity_probe_command *command, void *settings)
{
    if (settings && command->free_members) {
        command->free_members(settings);
    }
    free(settings);
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/run_options.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/deadline.h"
#include "base/port/file.h"
#include "base/port/time.h"
#include "cli/options.h"
#include "cli/run_tables.h"
#include "counters/events.h"
#include "harness/plan.h"
#include "harness/segment.h"
#include "regulator/plan.h"
#include "schema/run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    PRIORITY_DEFAULT = 50,
    REGULATION_BYTES_MAX = 1 << 20,
};

static const struct laxity_task_options task_defaults = {
    /* deadline_ns -1 is the period, LAXITY_ABSENT_NS is "none"; policy -1 depends on what it is. */
    LAXITY_TASK_OPTION_DEFAULTS
};

static int64_t default_timeout_ns(const struct laxity_task_options *options)
{
    int64_t longest_ns = options->period_ns;
    if (options->deadline_ns > longest_ns) {
        longest_ns = options->deadline_ns;
    }
    const int64_t timeout_ns =
        longest_ns > LAXITY_DURATION_MAX_NS / LAXITY_JOB_TIMEOUT_DEFAULT_FACTOR
            ? LAXITY_DURATION_MAX_NS
            : LAXITY_JOB_TIMEOUT_DEFAULT_FACTOR * longest_ns;
    return timeout_ns > LAXITY_JOB_TIMEOUT_DEFAULT_MIN_NS ? timeout_ns
                                                          : LAXITY_JOB_TIMEOUT_DEFAULT_MIN_NS;
}

static int
check_task(struct laxity_task_options *options, const char *name, struct laxity_error *error)
{
    if (options->period_ns == LAXITY_ABSENT_NS) {
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "task \"%.60s\": no period; add --period", name
        );
    }
    if (options->period_ns < LAXITY_PERIOD_MIN_NS) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "task \"%.60s\": period %lldns is below 1us; choose a longer one",
            name,
            (long long)options->period_ns
        );
    }
    if (options->deadline_ns == -1) {
        options->deadline_ns = options->period_ns;
    }
    if (options->deadline_ns == 0) {
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "task \"%.60s\": deadline 0; write none or a time", name
        );
    }
    if (options->deadline_ns > options->period_ns && options->overrun != LAXITY_OVERRUN_QUEUE) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "task \"%.60s\": deadline %lldns is longer than period %lldns; shorten it or use "
            "--overrun queue",
            name,
            (long long)options->deadline_ns,
            (long long)options->period_ns
        );
    }
    if (options->job_timeout_ns == LAXITY_ABSENT_NS) {
        options->job_timeout_ns = default_timeout_ns(options);
    }
    return 0;
}

/* Policy deadline reserves a runtime instead of having a priority; other policies have none. */
static int check_policy(
    const struct laxity_task_options *options, const char *name, struct laxity_error *error
)
{
    const bool is_deadline = options->policy == LAXITY_POLICY_DEADLINE;
    const bool has_runtime = options->runtime_ns != LAXITY_ABSENT_NS;
    char what[LAXITY_ERROR_TEXT_BYTES] = "";
    if (has_runtime != is_deadline) {
        laxity_format(
            what,
            sizeof what,
            is_deadline ? "policy deadline needs --runtime TIME"
                        : "--runtime needs --policy deadline"
        );
    } else if (is_deadline && options->is_corunner) {
        laxity_format(what, sizeof what, "a co-runner has no period; use fifo, rr or other");
    } else if (is_deadline && options->priority != 0) {
        laxity_format(what, sizeof what, "policy deadline has no priority; leave --priority out");
    } else if (is_deadline && options->threads > 1) {
        laxity_format(
            what, sizeof what, "policy deadline reserves time for one thread; use fifo or rr"
        );
    } else if (is_deadline) {
        const struct laxity_reservation reservation = laxity_reservation_of_task(
            options->runtime_ns, options->deadline_ns, options->period_ns
        );
        (void)laxity_check_reservation(&reservation, what, sizeof what);
    }
    if (what[0] == '\0') {
        return 0;
    }
    return laxity_refuse(error, LAXITY_EXIT_USAGE, "task \"%.60s\": %.120s", name, what);
}

static struct laxity_process_config process_config(
    const struct laxity_task_options *options,
    const char *name,
    bool is_unprivileged_allowed,
    enum laxity_policy default_policy
)
{
    struct laxity_process_config config = {
        .cpus = options->cpus,
        .policy = options->policy < 0 ? default_policy : (enum laxity_policy)options->policy,
        .priority = options->priority == 0 ? PRIORITY_DEFAULT : (int32_t)options->priority,
        .allow_unprivileged = is_unprivileged_allowed,
        .advice = {"; see output.log", ", or use --allow-unprivileged (before any --exec)"},
    };
    if (config.policy == LAXITY_POLICY_DEADLINE) {
        config.reservation = laxity_reservation_of_task(
            options->runtime_ns, options->deadline_ns, options->period_ns
        );
    }
    laxity_format(config.name, sizeof config.name, "%s", name);
    return config;
}

/* What is the harness's part in a workload, a program with its own main() has to do itself. */
static int check_own_program(
    const struct laxity_run_plan *plan,
    const struct laxity_task_options *options,
    const char *name,
    struct laxity_error *error
)
{
    const char *what = NULL;
    if (!options->is_own_program) {
        return 0;
    }
    if (options->is_corunner) {
        what = "--corunner: a co-runner makes no jobs; use a workload";
    } else if (plan->launcher.n > 0) {
        what = "--launcher starts workloads; leave it out, or make it the program";
    } else if (options->memory_limit_bytes != 0) {
        what = "--memory-limit counts in workloads only; leave it out";
    } else if (options->calls > 1) {
        what = "--calls: the program makes its jobs itself; leave it out";
    } else if (options->threads > 1) {
        what = "--threads: one thread makes the jobs, others are not counted; leave it out";
    } else if (options->stack_bytes != task_defaults.stack_bytes ||
               options->heap_bytes != task_defaults.heap_bytes) {
        what = "--stack, --heap: the program locks and touches its own memory; leave them out";
    }
    if (!what) {
        return 0;
    }
    return laxity_refuse(error, LAXITY_EXIT_USAGE, "task \"%.60s\": --program: %s", name, what);
}

/* The task's process is laxity-run itself, in another role; its first word is the program. */
static int
take_own_program(struct laxity_task_options *options, char **path, struct laxity_error *error)
{
    static char self[] = "/proc/self/exe";
    struct laxity_words *words = &options->words;
    char **items = (char **)calloc(words->n + 1, sizeof *items);
    if (!items) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "no memory for a command line");
    }
    items[0] = *path;
    for (unsigned i = 0; i < words->n; i++) {
        items[i + 1] = words->items[i];
    }
    free((void *)words->items);
    *words = (struct laxity_words){.items = items, .n = words->n + 1};
    *path = self;
    return 0;
}

/* Room for one more of `n`; it doubles. Returns NULL with error set if there is none. */
static void *make_room(void *items, unsigned n, size_t item_bytes, struct laxity_error *error)
{
    if ((n & (n - 1)) != 0) {
        return items; /* full only at powers of two */
    }
    void *more = reallocarray(items, n == 0 ? 1 : (size_t)n * 2, item_bytes);
    if (!more) {
        laxity_error_set(error, LAXITY_EXIT_LACKING, "no memory for %u tasks", n + 1);
    }
    return more;
}

static int add_corunner(
    struct laxity_run_plan *plan,
    const struct laxity_corunner_plan *corunner,
    struct laxity_error *error
)
{
    struct laxity_corunner_plan *corunners =
        make_room(plan->corunners, plan->n_corunners, sizeof *corunners, error);
    if (!corunners) {
        return -1;
    }
    plan->corunners = corunners;
    plan->corunners[plan->n_corunners++] = *corunner;
    return 0;
}

static int add_segment(
    struct laxity_run_plan *plan,
    char *path,
    struct laxity_task_options *options,
    bool is_unprivileged_allowed,
    struct laxity_error *error
)
{
    const char *slash = strrchr(path, '/');
    const char *base_name = slash ? slash + 1 : path;
    const char *name = options->name ? options->name : base_name;
    if (plan->n_tasks + plan->n_corunners >= LAXITY_PROCESSES_MAX) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "more than %d tasks and co-runners; run fewer at once",
            LAXITY_PROCESSES_MAX
        );
    }
    if (!options->is_corunner && check_task(options, name, error)) {
        return -1;
    }
    if (check_policy(options, name, error) || check_own_program(plan, options, name, error)) {
        return -1;
    }
    if (options->is_own_program && take_own_program(options, &path, error)) {
        return -1;
    }
    if (options->is_corunner) {
        const struct laxity_corunner_plan corunner = {
            .config = process_config(options, name, is_unprivileged_allowed, LAXITY_POLICY_OTHER),
            .path = path,
            .words = options->words,
        };
        return add_corunner(plan, &corunner, error);
    }
    struct laxity_task_plan *tasks = make_room(plan->tasks, plan->n_tasks, sizeof *tasks, error);
    if (!tasks) {
        return -1;
    }
    plan->tasks = tasks;
    plan->tasks[plan->n_tasks++] = (struct laxity_task_plan){
        .config =
            {
                .process =
                    process_config(options, name, is_unprivileged_allowed, LAXITY_POLICY_FIFO),
                LAXITY_TASK_OWN(options),
            },
        .path = path,
        .words = options->words,
    };
    return 0;
}

/* One "WORKLOAD [OPTIONS]". Returns how many words it took, or -1. */
static int parse_segment(
    struct laxity_run_plan *plan,
    int argc,
    char **argv,
    bool is_unprivileged_allowed,
    struct laxity_error *error
)
{
    if (argc < 1 || strcmp(argv[0], "--") == 0) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "no workload after --");
    }
    struct laxity_task_options options = task_defaults;
    int used = laxity_options_parse(&laxity_task_table, argc - 1, argv + 1, &options, error);
    if (used >= 0 && used + 1 < argc && strcmp(argv[used + 1], "--") != 0) {
        laxity_error_set(
            error,
            LAXITY_EXIT_USAGE,
            "unexpected word \"%.60s\"; a workload's own words need --arg",
            argv[used + 1]
        );
        used = -1;
    }
    if (used < 0 || add_segment(plan, argv[0], &options, is_unprivileged_allowed, error)) {
        free((void *)options.words.items);
        return -1;
    }
    return used + 1;
}

static struct laxity_stop_on stop_on_of(const struct laxity_run_options *common)
{
    if (common->stop_on_response_ns != LAXITY_ABSENT_NS) {
        return (struct laxity_stop_on){LAXITY_STOP_ON_RESPONSE, common->stop_on_response_ns};
    }
    return (struct laxity_stop_on){.kind = common->is_stop_on_miss ? LAXITY_STOP_ON_MISS
                                                                   : LAXITY_STOP_ON_NOTHING};
}

static void take_common(struct laxity_run_request *request, const struct laxity_run_options *common)
{
    request->recover_dir = common->recover_dir;
    request->plan = (struct laxity_run_plan){
        .run_dir = common->run_dir,
        .duration_ns = common->duration_ns,
        .seed = common->seed,
        .snapshots = (enum laxity_snapshots)common->snapshots,
        .keep = (enum laxity_keep)common->keep.keep,
        .keep_rows = common->keep.rows,
        .stop_on = stop_on_of(common),
        .is_idle_poll = common->idle == LAXITY_IDLE_POLL,
        .is_fail_fast = common->is_fail_fast,
        .progress_fd = common->progress_fd > 0 ? (int)common->progress_fd : -1,
        .parent_fd = common->parent_fd > 0 ? (int)common->parent_fd : -1,
        .finisher = common->finisher,
        .launcher = common->launcher,
    };
}

static int take_names(
    struct laxity_run_plan *plan, const struct laxity_words *names, struct laxity_error *error
)
{
    if (names->n > 0 && plan->snapshots != LAXITY_SNAPSHOTS_ALL) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "--event %.60s: counters are read with --snapshots all; use that, or leave events out",
            names->items[0]
        );
    }
    plan->n_events = names->n;
    return laxity_events_resolve(names->items, names->n, plan->events, error);
}

/* Resolve the names of events, and check what belongs together. plan->snapshots is set. */
static int take_events(
    const struct laxity_run_options *options,
    struct laxity_run_plan *plan,
    struct laxity_error *error
)
{
    if (take_names(plan, &options->event, error)) {
        return -1;
    }
    const bool is_sampling = options->sample_bucket_ns != LAXITY_ABSENT_NS;
    const unsigned n_cpus = laxity_cpus_count(&options->sample_cpu);
    plan->sample_bucket_ns = options->sample_bucket_ns;
    plan->sample_cpu = -1;
    const char *refusal = NULL;
    if (is_sampling && plan->n_events == 0) {
        refusal = "--sample-bucket: no event to sample; add --event NAME";
    } else if (!is_sampling && n_cpus > 0) {
        refusal = "--sample-cpu: nothing is sampled; add --sample-bucket TIME";
    } else if (n_cpus > 1) {
        refusal = "--sample-cpu: more than one CPU; write one number";
    }
    if (refusal) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "%s", refusal);
    }
    for (unsigned cpu = 0; cpu < LAXITY_CPUS_MAX && n_cpus == 1; cpu++) {
        if (laxity_cpus_has(&options->sample_cpu, cpu)) {
            plan->sample_cpu = (int32_t)cpu;
        }
    }
    return 0;
}

/* A count that leaves threads out is no count of the job. */
static int check_counted(const struct laxity_run_plan *plan, struct laxity_error *error)
{
    for (unsigned i = 0; i < plan->n_tasks; i++) {
        const struct laxity_task_config *config = &plan->tasks[i].config;
        if (plan->n_events > 0 && config->is_own_program) {
            return laxity_refuse(
                error,
                LAXITY_EXIT_USAGE,
                "--event: task \"%.60s\" is a program of its own and is not counted; leave it out",
                config->process.name
            );
        }
        if (plan->n_events > 0 && config->threads > 1) {
            return laxity_refuse(
                error,
                LAXITY_EXIT_USAGE,
                "--event: task \"%.60s\" has %u threads and only its main one is counted; leave it "
                "out",
                config->process.name,
                (unsigned)config->threads
            );
        }
    }
    return 0;
}

/* The plan of a regulation in a file. */
static int
take_regulation(struct laxity_run_request *request, const char *path, struct laxity_error *error)
{
    size_t used = 0;
    if (!path) {
        return 0;
    }
    char *text = calloc(1, REGULATION_BYTES_MAX);
    request->regulation = calloc(1, sizeof *request->regulation);
    request->plan.regulation = request->regulation;
    int rc = -1;
    if (!text || !request->regulation) {
        laxity_error_set(error, LAXITY_EXIT_LACKING, "no memory for the plan of --regulate");
    } else if (laxity_read_regular(path, text, REGULATION_BYTES_MAX - 1, &used)) {
        laxity_error_set(error, LAXITY_EXIT_USAGE, "--regulate %.80s: cannot be read", path);
    } else {
        rc = laxity_regulation_plan_parse(text, request->regulation, error);
    }
    free(text);
    return rc;
}

int laxity_run_options_parse(
    int argc, char **argv, struct laxity_run_request *out_request, struct laxity_error *error
)
{
    *out_request = (struct laxity_run_request){.recover_dir = NULL};
    struct laxity_run_options common = {LAXITY_RUN_OPTION_DEFAULTS};
    int used = laxity_options_parse(&laxity_run_table, argc, argv, &common, error);
    take_common(out_request, &common);
    struct laxity_run_plan *plan = &out_request->plan;
    if (used >= 0 && common.is_stop_on_miss && common.stop_on_response_ns != LAXITY_ABSENT_NS) {
        laxity_error_set(
            error, LAXITY_EXIT_USAGE, "--stop-on-miss and --stop-on-response: drop one of them"
        );
        used = -1;
    }
    const bool is_refused = used < 0 || take_events(&common, plan, error) ||
                            take_regulation(out_request, common.regulate_path, error);
    free((void *)common.event.items);
    if (is_refused) {
        return -1;
    }
    if (out_request->recover_dir) {
        return 0;
    }
    while (used < argc) {
        if (strcmp(argv[used], "--") != 0) {
            return laxity_refuse(
                error,
                LAXITY_EXIT_USAGE,
                "unexpected word \"%.60s\"; write -- before it",
                argv[used]
            );
        }
        used++;
        const int words =
            parse_segment(plan, argc - used, argv + used, common.is_unprivileged_allowed, error);
        if (words < 0) {
            return -1;
        }
        used += words;
    }
    if (!plan->run_dir || plan->n_tasks == 0) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            plan->run_dir ? "no task; write -- WORKLOAD --period TIME" : "no --run-dir"
        );
    }
    return check_counted(plan, error);
}

void laxity_run_options_free(struct laxity_run_request *request)
{
    free((void *)request->plan.launcher.items);
    free(request->regulation);
    for (unsigned i = 0; i < request->plan.n_tasks; i++) {
        free((void *)request->plan.tasks[i].words.items);
    }
    for (unsigned i = 0; i < request->plan.n_corunners; i++) {
        free((void *)request->plan.corunners[i].words.items);
    }
    free(request->plan.tasks);
    free(request->plan.corunners);
}

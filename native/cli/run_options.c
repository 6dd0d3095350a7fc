/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/run_options.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "cli/options.h"
#include "harness/plan.h"
#include "harness/release.h"
#include "harness/segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A period below a microsecond could not even be slept for; above a day the arithmetic has no test.
 */
static const int64_t period_min_ns = 1000;
static const int64_t duration_max_ns = INT64_C(400) * 24 * 3600 * LAXITY_NS_PER_S;
enum {
    PRIORITY_DEFAULT = 50,
    PRIORITY_MAX = 99,
    FD_MAX = 1 << 20
};
enum {
    STACK_DEFAULT_BYTES = 512 * 1024,
    HEAP_DEFAULT_BYTES = 1024 * 1024
};
/* job timeout = max(1 s, 20 * max(D, T)) (design section 5) */
enum {
    TIMEOUT_FACTOR = 20
};

/* Options before the first "--". */
struct common {
    const char *run_dir;
    const char *recover_dir;
    const char *finisher;
    struct laxity_words launcher;
    int64_t duration_ns;
    uint64_t seed;
    uint64_t progress_fd;
    uint64_t parent_fd;
    int idle;
    int snapshots;
    struct laxity_keep_value keep;
    bool is_unprivileged_allowed;
    bool is_fail_fast;
};

/* Options of one task or co-runner. */
struct segment_options {
    const char *name;
    int64_t period_ns;
    int64_t deadline_ns;
    int64_t offset_ns;
    int64_t job_timeout_ns;
    uint64_t jobs;
    uint64_t priority;
    uint64_t stack_bytes;
    uint64_t heap_bytes;
    struct laxity_cpus cpus;
    struct laxity_words words;
    int policy;
    int overrun;
    bool is_corunner;
};

#define AT(type, member) .offset = offsetof(struct type, member)
#define ANY_TIME .low = 0, .high = INT64_C(400) * 24 * 3600 * LAXITY_NS_PER_S

static const struct laxity_option common_options[] = {
    {.name = "--run-dir",
     .metavar = "DIR",
     .kind = LAXITY_OPTION_TEXT,
     AT(common, run_dir),
     .help = "where streams are written; made if it does not exist"},
    {.name = "--duration",
     .metavar = "TIME",
     .kind = LAXITY_OPTION_DURATION,
     AT(common, duration_ns),
     ANY_TIME,
     .help = "covers releases before t0 + TIME"},
    {.name = "--idle",
     .choices = "deep poll",
     .default_text = "deep",
     .kind = LAXITY_OPTION_CHOICE,
     AT(common, idle),
     .help = "poll holds /dev/cpu_dma_latency at 0 during the run"},
    {.name = "--snapshots",
     .choices = "none cpu all",
     .default_text = "all",
     .kind = LAXITY_OPTION_CHOICE,
     AT(common, snapshots),
     .help = "what is read around each job"},
    {.name = "--keep",
     .metavar = "all|misses|tail:N",
     .default_text = "all",
     .kind = LAXITY_OPTION_KEEP,
     AT(common, keep),
     .help = "which rows of jobs.npy are kept"},
    {.name = "--seed",
     .metavar = "N",
     .default_text = "1",
     .kind = LAXITY_OPTION_COUNT,
     AT(common, seed),
     .high = INT64_MAX,
     .help = "LAXITY_SEED of the workloads"},
    {.name = "--allow-unprivileged",
     .kind = LAXITY_OPTION_FLAG,
     AT(common, is_unprivileged_allowed),
     .help = "FIFO and RR where permitted, else OTHER"},
    {.name = "--fail-fast",
     .kind = LAXITY_OPTION_FLAG,
     AT(common, is_fail_fast),
     .help = "a task that fails ends the others too"},
    {.name = "--progress-fd",
     .metavar = "FD",
     .kind = LAXITY_OPTION_COUNT,
     AT(common, progress_fd),
     .high = FD_MAX,
     .help = "write `progress STARTED NOT_MET NS` lines to FD"},
    {.name = "--parent-fd",
     .metavar = "FD",
     .kind = LAXITY_OPTION_COUNT,
     AT(common, parent_fd),
     .high = FD_MAX,
     .help = "end the run when the other end of this pipe is closed"},
    {.name = "--finisher",
     .metavar = "COMMAND",
     .kind = LAXITY_OPTION_TEXT,
     AT(common, finisher),
     .help = "run by sh with DIR as $1 after a run whose caller has died"},
    {.name = "--launcher",
     .metavar = "WORD",
     .kind = LAXITY_OPTION_WORD,
     AT(common, launcher),
     .help = "program that starts the workloads, as an emulator or debugger; repeated: its options"
    },
    {.name = "--recover",
     .metavar = "DIR",
     .kind = LAXITY_OPTION_TEXT,
     AT(common, recover_dir),
     .help = "complete the streams of a run whose processes were all killed"},
};

static const struct laxity_option segment_options[] = {
    {.name = "--name",
     .metavar = "NAME",
     .default_text = "the workload's name",
     .kind = LAXITY_OPTION_TEXT,
     AT(segment_options, name),
     .help = "of the task"},
    {.name = "--period",
     .letter = 'p',
     .metavar = "TIME",
     .kind = LAXITY_OPTION_DURATION,
     AT(segment_options, period_ns),
     ANY_TIME,
     .help = "between releases"},
    {.name = "--deadline",
     .letter = 'd',
     .metavar = "TIME|none",
     .default_text = "the period",
     .kind = LAXITY_OPTION_DURATION,
     .has_none = 1,
     AT(segment_options, deadline_ns),
     ANY_TIME,
     .help = "relative to the release"},
    {.name = "--offset",
     .metavar = "TIME",
     .default_text = "0ns",
     .kind = LAXITY_OPTION_DURATION,
     AT(segment_options, offset_ns),
     ANY_TIME,
     .help = "first release after t0"},
    {.name = "--jobs",
     .letter = 't',
     .metavar = "N",
     .kind = LAXITY_OPTION_COUNT,
     AT(segment_options, jobs),
     .low = 1,
     .high = INT64_MAX,
     .help = "end after N started jobs"},
    {.name = "--cpus",
     .letter = 'c',
     .metavar = "LIST",
     .default_text = "those of the caller",
     .kind = LAXITY_OPTION_CPUS,
     AT(segment_options, cpus),
     .help = "as in 0-1,3"},
    {.name = "--policy",
     .choices = "other fifo rr",
     .default_text = "fifo; co-runners other",
     .kind = LAXITY_OPTION_CHOICE,
     AT(segment_options, policy),
     .help = "scheduling policy"},
    {.name = "--priority",
     .letter = 'f',
     .metavar = "N",
     .default_text = "50",
     .kind = LAXITY_OPTION_COUNT,
     AT(segment_options, priority),
     .low = 1,
     .high = PRIORITY_MAX,
     .help = "1-99, larger is higher"},
    {.name = "--overrun",
     .choices = "skip queue",
     .default_text = "skip",
     .kind = LAXITY_OPTION_CHOICE,
     AT(segment_options, overrun),
     .help = "releases during a job that is late"},
    {.name = "--job-timeout",
     .metavar = "TIME",
     .default_text = "max(1s, 20 x max(D, T))",
     .kind = LAXITY_OPTION_DURATION,
     AT(segment_options, job_timeout_ns),
     .low = LAXITY_NS_PER_MS,
     .high = INT64_C(400) * 24 * 3600 * LAXITY_NS_PER_S,
     .help = "a job that runs longer is killed"},
    {.name = "--stack",
     .metavar = "SIZE",
     .default_text = "512KiB",
     .kind = LAXITY_OPTION_SIZE,
     AT(segment_options, stack_bytes),
     .high = INT64_C(1) << 40,
     .help = "touched before the run"},
    {.name = "--heap",
     .metavar = "SIZE",
     .default_text = "1MiB",
     .kind = LAXITY_OPTION_SIZE,
     AT(segment_options, heap_bytes),
     .high = INT64_C(1) << 40,
     .help = "touched before the run"},
    {.name = "--arg",
     .metavar = "WORD",
     .kind = LAXITY_OPTION_WORD,
     AT(segment_options, words),
     .help = "one word for the workload; may be repeated"},
    {.name = "--corunner",
     .kind = LAXITY_OPTION_FLAG,
     AT(segment_options, is_corunner),
     .help = "not a task: runs without pause beside the tasks"},
};

static const struct laxity_option_table common_table = {
    "Options of the run", common_options, sizeof common_options / sizeof common_options[0]
};
static const struct laxity_option_table segment_table = {
    "Options of a task or co-runner",
    segment_options,
    sizeof segment_options / sizeof segment_options[0],
};
static const struct laxity_option_table *const tables[] = {&common_table, &segment_table};

const struct laxity_tool laxity_run_tool = {
    .name = "laxity-run",
    .usage = "laxity-run [OPTIONS] -- WORKLOAD [OPTIONS] [-- WORKLOAD [OPTIONS]]...",
    .summary = "Run workloads as periodic real-time tasks and write their streams.",
    .tables = tables,
    .n_tables = sizeof tables / sizeof tables[0],
};

static struct segment_options default_segment_options(void)
{
    return (struct segment_options){
        .period_ns = LAXITY_ABSENT_NS,
        .deadline_ns = -1, /* the period; LAXITY_ABSENT_NS is "none" */
        .job_timeout_ns = LAXITY_ABSENT_NS,
        .stack_bytes = STACK_DEFAULT_BYTES,
        .heap_bytes = HEAP_DEFAULT_BYTES,
        .policy = -1,
    };
}

static int64_t default_timeout_ns(const struct segment_options *options)
{
    int64_t longest_ns = options->period_ns;
    if (options->deadline_ns > longest_ns) {
        longest_ns = options->deadline_ns;
    }
    const int64_t timeout_ns = longest_ns > duration_max_ns / TIMEOUT_FACTOR
                                   ? duration_max_ns
                                   : TIMEOUT_FACTOR * longest_ns;
    return timeout_ns > LAXITY_NS_PER_S ? timeout_ns : LAXITY_NS_PER_S;
}

static int check_task(struct segment_options *options, const char *name, struct laxity_error *error)
{
    if (options->period_ns == LAXITY_ABSENT_NS) {
        laxity_error_set(error, LAXITY_EXIT_USAGE, "task \"%.60s\": no period; add --period", name);
        return -1;
    }
    if (options->period_ns < period_min_ns) {
        laxity_error_set(
            error,
            LAXITY_EXIT_USAGE,
            "task \"%.60s\": period %lldns is below 1us; choose a longer one",
            name,
            (long long)options->period_ns
        );
        return -1;
    }
    if (options->deadline_ns == -1) {
        options->deadline_ns = options->period_ns;
    }
    if (options->deadline_ns == 0) {
        laxity_error_set(
            error, LAXITY_EXIT_USAGE, "task \"%.60s\": deadline 0; write none or a time", name
        );
        return -1;
    }
    if (options->deadline_ns > options->period_ns && options->overrun != LAXITY_OVERRUN_QUEUE) {
        laxity_error_set(
            error,
            LAXITY_EXIT_USAGE,
            "task \"%.60s\": deadline %lldns is longer than period %lldns; shorten it or use "
            "--overrun queue",
            name,
            (long long)options->deadline_ns,
            (long long)options->period_ns
        );
        return -1;
    }
    if (options->job_timeout_ns == LAXITY_ABSENT_NS) {
        options->job_timeout_ns = default_timeout_ns(options);
    }
    return 0;
}

static struct laxity_process_config process_config(
    const struct segment_options *options,
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
    };
    laxity_format(config.name, sizeof config.name, "%s", name);
    return config;
}

static int add_segment(
    struct laxity_run_plan *plan,
    char *path,
    struct segment_options *options,
    bool is_unprivileged_allowed,
    struct laxity_error *error
)
{
    const char *slash = strrchr(path, '/');
    const char *base_name = slash ? slash + 1 : path;
    const char *name = options->name ? options->name : base_name;
    if (plan->n_tasks + plan->n_corunners >= LAXITY_PROCESSES_MAX) {
        laxity_error_set(
            error, LAXITY_EXIT_USAGE, "more than %d tasks and co-runners", LAXITY_PROCESSES_MAX
        );
        return -1;
    }
    if (options->is_corunner) {
        plan->corunners[plan->n_corunners++] = (struct laxity_corunner_plan){
            .config = process_config(options, name, is_unprivileged_allowed, LAXITY_POLICY_OTHER),
            .path = path,
            .words = options->words,
        };
        return 0;
    }
    if (check_task(options, name, error)) {
        return -1;
    }
    plan->tasks[plan->n_tasks++] = (struct laxity_task_plan){
        .config =
            {
                .process =
                    process_config(options, name, is_unprivileged_allowed, LAXITY_POLICY_FIFO),
                .period_ns = options->period_ns,
                .deadline_ns = options->deadline_ns,
                .offset_ns = options->offset_ns,
                .job_timeout_ns = options->job_timeout_ns,
                .jobs = options->jobs,
                .stack_bytes = options->stack_bytes,
                .heap_bytes = options->heap_bytes,
                .overrun = (enum laxity_overrun)options->overrun,
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
        laxity_error_set(error, LAXITY_EXIT_USAGE, "no workload after --");
        return -1;
    }
    struct segment_options options = default_segment_options();
    int used = laxity_options_parse(&segment_table, argc - 1, argv + 1, &options, error);
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

static void take_common(struct laxity_run_request *request, const struct common *common)
{
    request->recover_dir = common->recover_dir;
    request->plan = (struct laxity_run_plan){
        .run_dir = common->run_dir,
        .duration_ns = common->duration_ns,
        .seed = common->seed,
        .snapshots = (enum laxity_snapshots)common->snapshots,
        .keep = (enum laxity_keep)common->keep.keep,
        .keep_rows = common->keep.rows,
        .is_idle_poll = common->idle == 1,
        .is_fail_fast = common->is_fail_fast,
        .progress_fd = common->progress_fd > 0 ? (int)common->progress_fd : -1,
        .parent_fd = common->parent_fd > 0 ? (int)common->parent_fd : -1,
        .finisher = common->finisher,
        .launcher = common->launcher,
    };
}

int laxity_run_options_parse(
    int argc, char **argv, struct laxity_run_request *out_request, struct laxity_error *error
)
{
    *out_request = (struct laxity_run_request){.recover_dir = NULL};
    struct common common = {
        .duration_ns = LAXITY_ABSENT_NS,
        .seed = 1,
        .snapshots = LAXITY_SNAPSHOTS_ALL,
        .keep = {.keep = LAXITY_KEEP_ALL},
    };
    int used = laxity_options_parse(&common_table, argc, argv, &common, error);
    if (used < 0) {
        free((void *)common.launcher.items);
        return -1;
    }
    take_common(out_request, &common);
    struct laxity_run_plan *plan = &out_request->plan;
    if (out_request->recover_dir) {
        return 0;
    }
    while (used < argc) {
        if (strcmp(argv[used], "--") != 0) {
            laxity_error_set(
                error,
                LAXITY_EXIT_USAGE,
                "unexpected word \"%.60s\"; write -- before it",
                argv[used]
            );
            return -1;
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
        laxity_error_set(
            error,
            LAXITY_EXIT_USAGE,
            plan->run_dir ? "no task; write -- WORKLOAD --period TIME" : "no --run-dir"
        );
        return -1;
    }
    return 0;
}

void laxity_run_options_free(struct laxity_run_request *request)
{
    free((void *)request->plan.launcher.items);
    for (unsigned i = 0; i < request->plan.n_tasks; i++) {
        free((void *)request->plan.tasks[i].words.items);
    }
    for (unsigned i = 0; i < request->plan.n_corunners; i++) {
        free((void *)request->plan.corunners[i].words.items);
    }
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/launch.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/output_directory.h"
#include "base/port/death.h"
#include "base/port/file.h"
#include "base/port/sched.h"
#include "base/port/ticks.h"
#include "base/port/time.h"
#include "harness/counting.h"
#include "harness/drain.h"
#include "harness/own_jobs.h"
#include "harness/plan.h"
#include "harness/recover.h"
#include "harness/role.h"
#include "harness/segment.h"
#include "schema/run.h"

#include <laxity/units.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    /* The ring holds this many seconds of jobs, so that a drain process that is late loses
     * nothing... */
    RING_SECONDS = 8,
    RING_SLOTS_MIN = 1024,
    RING_SLOTS_MAX = 65536, /* ...but no more than 16 MiB per task, which is locked in memory */
    DRAIN_NICE = 10,
    OUTPUT_PIPE_BYTES = 1024 * 1024,
    PAGE_BYTES = 4096,
    CANNOT_EXEC = 127,
    FILES_PER_PROCESS = 5, /* both ends of two pipes; of a simulated one its stream */
    OTHER_FILES = 64,
};

static uint32_t ring_slots(const struct laxity_run_plan *plan)
{
    uint64_t slots = RING_SLOTS_MIN;
    for (unsigned i = 0; i < plan->n_tasks; i++) {
        const int64_t period_ns = plan->tasks[i].config.period_ns;
        const uint64_t wanted = (uint64_t)RING_SECONDS * LAXITY_NS_PER_S / (uint64_t)period_ns;
        while (slots < wanted && slots < RING_SLOTS_MAX) {
            slots *= 2;
        }
    }
    return (uint32_t)slots;
}

/* Without --cpus a process may use what the caller may; the supervisor itself will move aside. */
static void default_cpus(struct laxity_process_config *config)
{
    if (laxity_cpus_is_empty(&config->cpus)) {
        (void)laxity_get_affinity(&config->cpus);
    }
}

static void fill_segment(struct laxity_launch *launch)
{
    const struct laxity_run_plan *plan = launch->plan;
    struct laxity_segment *segment = launch->segment;
    segment->version = LAXITY_SEGMENT_VERSION;
    segment->bytes = launch->segment_bytes;
    segment->n_tasks = plan->n_tasks;
    segment->n_corunners = plan->n_corunners;
    segment->ring_slots = ring_slots(plan);
    segment->snapshots = plan->snapshots;
    segment->keep = plan->keep;
    segment->keep_rows = plan->keep_rows;
    segment->duration_ns = plan->duration_ns;
    segment->stop_on = plan->stop_on;
    segment->regulated_task = plan->regulation ? plan->regulation->task + 1 : 0;
    segment->run.oom_kills = laxity_oom_kills();
    segment->last_release_ns = INT64_MIN;
    const char *ticks = laxity_ticks_name();
    laxity_format(segment->ticks_name, sizeof segment->ticks_name, "%s", ticks ? ticks : "");
    laxity_format(
        segment->finisher, sizeof segment->finisher, "%s", plan->finisher ? plan->finisher : ""
    );
    char *run_dir = realpath(plan->run_dir, NULL);
    laxity_format(segment->run_dir, sizeof segment->run_dir, "%s", run_dir ? run_dir : "");
    free(run_dir);
    for (uint32_t i = 0; i < plan->n_tasks; i++) {
        struct laxity_task_config *config = &laxity_segment_task(segment, i)->config;
        *config = plan->tasks[i].config;
        default_cpus(&config->process);
        /* As asked for, until the process says otherwise: it may die before. */
        laxity_segment_task(segment, i)->state.process.policy = config->process.policy;
    }
    for (uint32_t i = 0; i < plan->n_corunners; i++) {
        struct laxity_process_config *config = &laxity_segment_corunner(segment, i)->config;
        *config = plan->corunners[i].config;
        default_cpus(config);
        laxity_segment_corunner(segment, i)->state.policy = config->policy;
    }
    laxity_fill_counting(plan, segment);
    laxity_own_rings_place(segment);
    segment->magic = LAXITY_SEGMENT_MAGIC; /* last: from here on it can be recovered */
}

/* What a tmpfs takes for so many bytes; larger pages are multiples of these. */
static size_t whole_pages(size_t bytes)
{
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static int make_segment(struct laxity_launch *launch, struct laxity_error *error)
{
    const struct laxity_run_plan *plan = launch->plan;
    const size_t bytes = laxity_segment_bytes(plan->n_tasks, plan->n_corunners, ring_slots(plan)) +
                         laxity_segment_sample_bytes(plan->n_tasks, laxity_sample_slots(plan)) +
                         laxity_own_rings_bytes(plan);
    void *base = NULL;
    int rc = laxity_create_shared(bytes, launch->shared_path, &launch->segment_fd);
    if (rc == 0) {
        /* Held by the drain process as long as it lives: recovery must not touch a live run. */
        rc = flock(launch->segment_fd, LOCK_EX | LOCK_NB) == 0 ? 0 : -errno;
    }
    if (rc == 0) {
        rc = laxity_map_shared(launch->segment_fd, &base, &launch->segment_bytes);
    }
    if (rc == 0 && symlinkat(launch->shared_path, launch->dir_fd, "segment") != 0) {
        rc = -errno;
    }
    if (rc) {
        char size[LAXITY_BYTES_TEXT_BYTES];
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "cannot make a shared segment of %s on a tmpfs: %s; mount or enlarge /dev/shm",
            laxity_format_bytes(whole_pages(bytes), size),
            strerrordesc_np(-rc)
        );
    }
    launch->segment = base;
    fill_segment(launch);
    return 0;
}

/* Each process costs us some. Many users may have more open files than they have by default.
 */
static void allow_files(struct laxity_launch *launch)
{
    const struct laxity_run_plan *plan = launch->plan;
    const rlim_t processes = plan->n_tasks + plan->n_corunners;
    const rlim_t needed = FILES_PER_PROCESS * processes + OTHER_FILES;
    if (getrlimit(RLIMIT_NOFILE, &launch->files) != 0 || launch->files.rlim_cur >= needed) {
        return;
    }
    const rlim_t most = launch->files.rlim_max;
    const struct rlimit more = {.rlim_cur = needed < most ? needed : most, .rlim_max = most};
    (void)setrlimit(RLIMIT_NOFILE, &more); /* refused: the first pipe that lacks one tells */
}

static int make_pipes(struct laxity_launch *launch, struct laxity_error *error)
{
    const struct laxity_run_plan *plan = launch->plan;
    int ends[2];
    allow_files(launch);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        goto failed;
    }
    launch->lifeline_read_fd = ends[0];
    launch->lifeline_write_fd = ends[1];
    launch->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (launch->stop_fd < 0) {
        goto failed;
    }
    for (unsigned i = 0; i < plan->n_tasks + plan->n_corunners; i++) {
        if (pipe2(ends, O_CLOEXEC) != 0) {
            goto failed;
        }
        /* Refused to users beyond their pipe quota; a smaller pipe only blocks a chatty workload
         * earlier. */
        (void)fcntl(ends[0], F_SETPIPE_SZ, OUTPUT_PIPE_BYTES);
        (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
        launch->output_read_fds[i] = ends[0];
        launch->output_write_fds[i] = ends[1];
    }
    for (unsigned i = 0; i < plan->n_tasks; i++) {
        if (pipe2(ends, O_CLOEXEC) != 0) {
            goto failed;
        }
        launch->go_read_fds[i] = ends[0];
        launch->go_write_fds[i] = ends[1];
    }
    return 0;
failed:
    return laxity_refuse(
        error,
        LAXITY_EXIT_LACKING,
        "cannot make the pipes of %u tasks and co-runners: %s; raise ulimit -n or run fewer",
        plan->n_tasks + plan->n_corunners,
        strerrordesc_np(errno)
    );
}

int laxity_launch_open(
    struct laxity_launch *launch, const struct laxity_run_plan *plan, struct laxity_error *error
)
{
    *launch = (struct laxity_launch){.plan = plan, .segment_fd = -1, .dir_fd = -1};
    laxity_remove_orphans();
    launch->dir_fd = laxity_open_output_directory(launch->plan->run_dir, error);
    if (launch->dir_fd < 0 || make_segment(launch, error) || make_pipes(launch, error)) {
        laxity_launch_discard(launch);
        return -1;
    }
    return 0;
}

void laxity_launch_discard(struct laxity_launch *launch)
{
    if (launch->segment_fd >= 0) {
        (void)unlink(launch->shared_path);
        (void)unlinkat(launch->dir_fd, "segment", 0);
    }
}

/* The drain process must outlive whoever is killed: own session, ordinary policy, no pending
 * signals. */
static void become_drain(struct laxity_launch *launch)
{
    (void)setsid();
    (void)laxity_set_policy(LAXITY_POLICY_OTHER, 0);
    (void)setpriority(PRIO_PROCESS, 0, DRAIN_NICE);
    (void)prctl(PR_SET_NAME, "laxity-drain");
    sigset_t all;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_UNBLOCK, &all, NULL);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)close(launch->lifeline_write_fd);
    for (unsigned i = 0; i < launch->plan->n_tasks; i++) {
        (void)close(launch->go_write_fds[i]);
    }
}

int laxity_launch_drain(struct laxity_launch *launch)
{
    const pid_t pid = fork();
    if (pid < 0) {
        return -errno;
    }
    if (pid == 0) {
        become_drain(launch);
        const struct laxity_drain_config config = {
            .segment = launch->segment,
            .dir_fd = launch->dir_fd,
            .lifeline_fd = launch->lifeline_read_fd,
            .parent_fd = launch->plan->parent_fd,
            .stop_fd = launch->stop_fd,
            .output_fds = launch->output_read_fds,
            .run_dir = launch->plan->run_dir,
            .shared_path = launch->shared_path,
        };
        _exit(laxity_drain_run(&config));
    }
    launch->drain_pid = pid;
    return 0;
}

/* One to be started. */
struct workload {
    struct laxity_process_state *state;
    char *path;
    const struct laxity_words *words;
    char *role;
    int output_fd;
    int go_fd; /* -1 = none */
};

/* Refused by a sandbox (seccomp), or by an emulator that lacks it. */
static void die_with_supervisor(struct laxity_process_state *state)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0) {
        return;
    }
    char reason[LAXITY_ERROR_TEXT_BYTES];
    laxity_format(
        reason,
        sizeof reason,
        "prctl(PR_SET_PDEATHSIG): %s; if the supervisor is killed, kill this process too",
        strerrordesc_np(errno)
    );
    laxity_add_fallback(state, "end with the supervisor", "nothing", reason);
}

/* In the child, between fork and exec. The workload's output goes into its pipe, its input is
 * empty. */
static void
become_workload(const struct laxity_launch *launch, const struct workload *workload, pid_t parent)
{
    (void)setpgid(0, 0); /* Ctrl-C is for the supervisor, which knows what to keep */
    if (launch->files.rlim_cur != 0) {
        (void)setrlimit(RLIMIT_NOFILE, &launch->files);
    }
    die_with_supervisor(workload->state);
    if (getppid() != parent) {
        _exit(CANNOT_EXEC);
    }
    const int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (empty >= 0) {
        (void)dup2(empty, STDIN_FILENO);
    }
    (void)dup2(workload->output_fd, STDOUT_FILENO);
    (void)dup2(workload->output_fd, STDERR_FILENO);
    (void)fcntl(launch->segment_fd, F_SETFD, 0);
    if (workload->go_fd >= 0) {
        (void)fcntl(workload->go_fd, F_SETFD, 0);
    }
    sigset_t all;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_UNBLOCK, &all, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
}

static unsigned copy_words(char **argv, const struct laxity_words *words)
{
    for (unsigned i = 0; i < words->n; i++) {
        argv[i] = words->items[i];
    }
    return words->n;
}

/* Returns the child's pid, or -errno. */
static pid_t start_workload(struct laxity_launch *launch, const struct workload *workload)
{
    const struct laxity_words *launcher = &launch->plan->launcher;
    const struct laxity_words *words = workload->words;
    char **argv = (char **)calloc(launcher->n + words->n + 3, sizeof *argv);
    if (!argv) {
        return -ENOMEM;
    }
    unsigned used = copy_words(argv, launcher);
    argv[used++] = workload->path;
    argv[used++] = workload->role;
    (void)copy_words(&argv[used], words);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        become_workload(launch, workload, parent);
        /* A launcher is looked for along PATH, a workload is not: its path is laxity's own. */
        (void)(launcher->n > 0 ? execvp(argv[0], argv) : execv(argv[0], argv));
        (void)dprintf(STDERR_FILENO, "cannot start %s: %s\n", argv[0], strerrordesc_np(errno));
        _exit(CANNOT_EXEC);
    }
    const int saved = errno;
    free((void *)argv);
    return pid < 0 ? -saved : pid;
}

int laxity_launch_task(struct laxity_launch *launch, uint32_t index)
{
    const struct laxity_task_plan *plan = &launch->plan->tasks[index];
    const int go_fd = launch->go_read_fds[index];
    char role[LAXITY_HARNESS_OPTION_BYTES];
    laxity_format(
        role,
        sizeof role,
        LAXITY_HARNESS_OPTION "%s,%u,%d,%d",
        plan->config.is_own_program ? "own" : "task",
        index,
        launch->segment_fd,
        go_fd
    );
    struct laxity_task *task = laxity_segment_task(launch->segment, index);
    const struct workload workload = {
        .state = &task->state.process,
        .path = plan->path,
        .words = &plan->words,
        .role = role,
        .output_fd = launch->output_write_fds[index],
        .go_fd = go_fd,
    };
    const pid_t pid = start_workload(launch, &workload);
    (void)close(workload.output_fd);
    launch->output_write_fds[index] = -1;
    task->verdict.pid = pid > 0 ? pid : 0;
    return pid < 0 ? pid : 0;
}

int laxity_launch_corunner(struct laxity_launch *launch, uint32_t index)
{
    const struct laxity_corunner_plan *plan = &launch->plan->corunners[index];
    const uint32_t source = launch->plan->n_tasks + index;
    char role[LAXITY_HARNESS_OPTION_BYTES];
    laxity_format(
        role, sizeof role, LAXITY_HARNESS_OPTION "corunner,%u,%d,-1", index, launch->segment_fd
    );
    struct laxity_corunner *corunner = laxity_segment_corunner(launch->segment, index);
    const struct workload workload = {
        .state = &corunner->state,
        .path = plan->path,
        .words = &plan->words,
        .role = role,
        .output_fd = launch->output_write_fds[source],
        .go_fd = -1,
    };
    const pid_t pid = start_workload(launch, &workload);
    (void)close(workload.output_fd);
    launch->output_write_fds[source] = -1;
    corunner->verdict.pid = pid > 0 ? pid : 0;
    return pid < 0 ? pid : 0;
}

static void close_fd(int *fd)
{
    if (*fd > 0) {
        (void)close(*fd);
    }
    *fd = -1;
}

void laxity_launch_close(struct laxity_launch *launch)
{
    for (unsigned i = 0; i < LAXITY_PROCESSES_MAX; i++) {
        close_fd(&launch->output_read_fds[i]);
        close_fd(&launch->output_write_fds[i]);
        close_fd(&launch->go_read_fds[i]);
        close_fd(&launch->go_write_fds[i]);
    }
    close_fd(&launch->stop_fd);
    close_fd(&launch->lifeline_read_fd);
    close_fd(&launch->lifeline_write_fd);
    close_fd(&launch->segment_fd);
    close_fd(&launch->dir_fd);
    if (launch->segment) {
        (void)munmap(launch->segment, launch->segment_bytes);
        launch->segment = NULL;
    }
}

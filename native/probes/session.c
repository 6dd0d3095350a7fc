/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/session.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/json.h"
#include "base/npy.h"
#include "base/output_directory.h"
#include "base/port/file.h"
#include "base/port/memory.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "probes/machine.h"
#include "probes/probe.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SCHEMA = 1,
    LOOK_EVERY_MS = 100,
    /* One observation of the largest working set takes well under a second. */
    STOP_GRACE_NS = 2 * LAXITY_NS_PER_S,
    PROGRESS_BYTES = 96,
};

struct session {
    const struct laxity_probe *probe;
    const struct laxity_probe_plan *plan;
    struct laxity_probe_shared *shared;
    struct laxity_probe_run run;
    struct laxity_npy npy;
    size_t mapped_bytes;
    int dir_fd;
    pid_t child;
    int64_t start_ns;
    int64_t end_ns;
    int64_t kill_at_ns; /* INT64_MAX: not asked to stop yet */
    bool is_interrupted;
    bool is_late;
};

static volatile sig_atomic_t received_signal;

static void receive_signal(int number)
{
    received_signal = number;
}

/* A signal that the caller ignores (nohup) stays ignored. */
static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = receive_signal};
    received_signal = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction before;
        (void)sigaction(numbers[i], NULL, &before);
        if (before.sa_handler != SIG_IGN) {
            (void)sigaction(numbers[i], &action, NULL);
        }
    }
    (void)signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error of write(), not a death */
    (void)signal(SIGPIPE, SIG_IGN);
}

static int open_output(struct session *session, struct laxity_error *error)
{
    const char *run_dir = session->plan->run_dir;
    session->dir_fd = laxity_open_output_directory(run_dir, error);
    if (session->dir_fd < 0) {
        return -1;
    }
    const int rc = laxity_npy_create(
        session->dir_fd,
        session->probe->stream,
        session->probe->fields,
        session->probe->n_fields,
        &session->npy
    );
    if (rc) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_USAGE,
            "cannot write into %s: %s; choose another --run-dir",
            run_dir,
            strerrordesc_np(-rc)
        );
    }
    return 0;
}

static int map_shared(struct session *session, struct laxity_error *error)
{
    const struct laxity_probe *probe = session->probe;
    const uint64_t rows_max = probe->count_rows(session->plan);
    const size_t bytes =
        sizeof *session->shared + (size_t)LAXITY_PROBE_RING_ROWS * probe->row_bytes;
    void *base = MAP_FAILED;
    if (rows_max <= UINT32_MAX) {
        base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    }
    if (base == MAP_FAILED) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "%s: no memory for %llu observations; lower --repetitions",
            probe->name,
            (unsigned long long)rows_max
        );
    }
    session->shared = base;
    session->mapped_bytes = bytes;
    session->run = (struct laxity_probe_run){
        .probe = probe,
        .plan = session->plan,
        .shared = session->shared,
        .rows = (unsigned char *)base + sizeof *session->shared,
        .rows_max = (uint32_t)rows_max,
    };
    return 0;
}

/* The CPU that measures must not also write files; where there is no other one it must do. */
static void step_aside(const struct session *session)
{
    struct laxity_cpus allowed;
    if (!laxity_machine.is_simulated && laxity_get_affinity(&allowed) == 0) {
        const struct laxity_cpus others = laxity_cpus_without(&allowed, &session->plan->cpus);
        if (!laxity_cpus_is_empty(&others)) {
            (void)laxity_set_affinity(&others);
        }
    }
}

static void lock_memory(struct laxity_probe_run *run)
{
    const int rc = laxity_machine.is_simulated ? 0 : laxity_lock_memory();
    if (rc) {
        char reason[LAXITY_ERROR_TEXT_BYTES];
        laxity_format(
            reason,
            sizeof reason,
            "mlockall: %s; raise RLIMIT_MEMLOCK or run as root, else page faults may disturb",
            strerrordesc_np(-rc)
        );
        laxity_probe_add_fallback(run, "locked memory", "unlocked", reason);
    }
}

/* A group of its own, so that one kill reaches whatever it forks. */
static _Noreturn void measure_in_child(struct session *session, pid_t parent)
{
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)signal(SIGTERM, SIG_DFL);
    if (getppid() != parent) {
        _exit(LAXITY_EXIT_INTERNAL);
    }
    struct laxity_probe_run *run = &session->run;
    int rc = session->probe->setup(run);
    if (rc == 0) {
        lock_memory(run);
        rc = session->probe->measure(run);
        session->shared->reached_ns = laxity_machine_now_ns();
    }
    session->probe->teardown(run);
    _exit(rc ? LAXITY_EXIT_INTERNAL : LAXITY_EXIT_DONE);
}

static int start_child(struct session *session, struct laxity_error *error)
{
    const pid_t parent = getpid();
    session->start_ns = laxity_now_ns();
    session->child = fork();
    if (session->child == 0) {
        measure_in_child(session, parent);
    }
    if (session->child < 0) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "%s: cannot start a process: %s; raise ulimit -u",
            session->probe->name,
            strerrordesc_np(errno)
        );
    }
    (void)setpgid(session->child, session->child); /* whoever is first; a kill may come at once */
    return 0;
}

static int write_rows(struct session *session, struct laxity_error *error)
{
    const uint32_t n = atomic_load_explicit(&session->shared->rows, memory_order_acquire);
    int rc = 0;
    while (session->npy.rows < n && rc == 0) {
        const uint64_t written = session->npy.rows;
        const size_t at = written % LAXITY_PROBE_RING_ROWS;
        const uint64_t to_end = LAXITY_PROBE_RING_ROWS - at;
        const uint64_t rows = n - written < to_end ? n - written : to_end;
        const unsigned char *from = session->run.rows + at * session->probe->row_bytes;
        rc = laxity_npy_write(&session->npy, written, from, rows);
        rc = rc ? rc : laxity_npy_patch(&session->npy);
        atomic_store_explicit(
            &session->shared->written, (unsigned)session->npy.rows, memory_order_release
        );
    }
    if (rc) {
        laxity_error_set(
            error,
            LAXITY_EXIT_LACKING,
            "cannot write %s: %s; free space",
            session->probe->stream,
            strerrordesc_np(-rc)
        );
    }
    return rc ? -1 : 0;
}

static void tell_progress(const struct session *session)
{
    char line[PROGRESS_BYTES];
    if (session->plan->progress_fd == 0) {
        return;
    }
    const int length = snprintf(
        line,
        sizeof line,
        "progress %u %u %lld\n",
        atomic_load_explicit(&session->shared->rows, memory_order_relaxed),
        session->run.rows_max,
        (long long)(laxity_now_ns() - session->start_ns)
    );
    /* Nobody may read; then nobody misses it. */
    (void)!write((int)session->plan->progress_fd, line, (size_t)length);
}

static void ask_to_stop(struct session *session, int64_t now_ns)
{
    if (session->kill_at_ns == INT64_MAX) {
        session->kill_at_ns = now_ns + STOP_GRACE_NS;
        atomic_store_explicit(&session->shared->is_stopped, 1, memory_order_relaxed);
    }
}

static void wait_a_little(struct session *session)
{
    struct pollfd parent = {.fd = (int)session->plan->parent_fd, .events = 0};
    const bool has_parent = parent.fd != 0 && !session->is_interrupted;
    (void)poll(&parent, has_parent ? 1 : 0, LOOK_EVERY_MS);
    if (has_parent && (parent.revents & (POLLHUP | POLLERR)) != 0) {
        session->is_interrupted = true;
    }
}

/* Until the measuring process has ended; gives how it did. */
static int follow(struct session *session, struct laxity_error *error)
{
    int status = 0;
    while (waitpid(session->child, &status, WNOHANG) == 0) {
        wait_a_little(session);
        const int64_t now_ns = laxity_now_ns();
        if (received_signal != 0) {
            session->is_interrupted = true;
        }
        if (now_ns - session->start_ns > session->plan->timeout_ns && !session->is_late) {
            session->is_late = session->kill_at_ns == INT64_MAX;
        }
        const int rc = write_rows(session, error);
        if (session->is_interrupted || session->is_late || rc) {
            ask_to_stop(session, now_ns);
        }
        if (now_ns > session->kill_at_ns) {
            (void)kill(-session->child, SIGKILL);
        }
        tell_progress(session);
    }
    (void)kill(-session->child, SIGKILL); /* what it may have left; none of it is of use now */
    session->end_ns = laxity_now_ns();
    (void)write_rows(session, error);
    return status;
}

/* The first cause in time decides; what the probe itself said comes before how its process ended.
 */
static void judge(struct session *session, int status, struct laxity_error *error)
{
    const char *name = session->probe->name;
    if (session->is_interrupted) {
        laxity_error_set(error, LAXITY_EXIT_INTERRUPTED, "interrupted");
    }
    if (session->is_late) {
        laxity_error_set(
            error,
            LAXITY_EXIT_NO_VERDICT,
            "%s: not finished after %.0f s; raise --timeout or lower --repetitions",
            name,
            (double)session->plan->timeout_ns / 1e9
        );
    }
    const struct laxity_error *said = &session->shared->error;
    if (said->exit_code != 0) {
        laxity_error_set(error, said->exit_code, "%.*s", LAXITY_ERROR_TEXT_BYTES - 1, said->text);
    }
    if (WIFSIGNALED(status)) {
        laxity_error_set(
            error,
            LAXITY_EXIT_INTERNAL,
            "%s: the measuring process was killed by signal %d",
            name,
            WTERMSIG(status)
        );
    } else if (WEXITSTATUS(status) != 0) {
        laxity_error_set(
            error,
            LAXITY_EXIT_INTERNAL,
            "%s: the measuring process ended with exit code %d",
            name,
            WEXITSTATUS(status)
        );
    }
}

static void write_fallbacks(struct laxity_json *json, const struct laxity_probe_shared *shared)
{
    laxity_json_open(json, "fallbacks", '[');
    for (unsigned i = 0; i < atomic_load(&shared->n_fallbacks); i++) {
        laxity_json_open(json, NULL, '{');
        laxity_json_text(json, "what", shared->fallbacks[i].what);
        laxity_json_text(json, "used", shared->fallbacks[i].used);
        laxity_json_text(json, "reason", shared->fallbacks[i].reason);
        laxity_json_close(json, '}');
    }
    laxity_json_close(json, ']');
}

static void write_clock(struct laxity_json *json, const struct session *session)
{
    const bool is_simulated = laxity_machine.is_simulated;
    const int64_t end_ns = is_simulated ? session->shared->reached_ns : session->end_ns;
    laxity_json_open(json, "clock", '{');
    laxity_json_text(json, "name", laxity_machine.clock);
    laxity_json_int(json, "t0_ns", is_simulated ? laxity_machine.t0_ns : session->start_ns);
    if (end_ns == 0) {
        laxity_json_null(json, "end_ns");
    } else {
        laxity_json_int(json, "end_ns", end_ns);
    }
    laxity_json_close(json, '}');
}

/* The same document as that of laxity-run, with no tasks. */
static int write_outcome(const struct session *session, const struct laxity_error *error)
{
    const char *status = "complete";
    if (error->exit_code != 0) {
        status = session->is_interrupted ? "interrupted" : "failed";
    }
    struct laxity_json json = {0};
    laxity_json_open(&json, NULL, '{');
    laxity_json_int(&json, "schema", SCHEMA);
    write_clock(&json, session);
    laxity_json_text(&json, "status", status);
    laxity_json_int(&json, "exit_code", error->exit_code);
    laxity_json_text(&json, "message", error->text);
    write_fallbacks(&json, session->shared);
    laxity_json_close(&json, '}');
    const int rc = json.is_out_of_memory
                       ? -ENOMEM
                       : laxity_write_file(session->dir_fd, "native.json", json.text, json.used);
    laxity_json_free(&json);
    return rc;
}

static void tell_fallbacks(const struct laxity_probe_shared *shared, laxity_probe_note note)
{
    char text[2 * LAXITY_ERROR_TEXT_BYTES];
    for (unsigned i = 0; i < atomic_load(&shared->n_fallbacks); i++) {
        const struct laxity_probe_fallback *one = &shared->fallbacks[i];
        laxity_format(
            text, sizeof text, "%s: %s used instead (%s)", one->what, one->used, one->reason
        );
        note(text);
    }
}

static void complete(struct session *session, int status, struct laxity_error *error)
{
    int rc = laxity_npy_close(&session->npy);
    judge(session, status, error);
    const int written = write_outcome(session, error);
    rc = rc ? rc : written;
    if (rc) {
        laxity_error_set(
            error,
            LAXITY_EXIT_LACKING,
            "cannot write into %s: %s; free space",
            session->plan->run_dir,
            strerrordesc_np(-rc)
        );
    }
}

int laxity_probe_session(
    const struct laxity_probe *probe,
    const struct laxity_probe_plan *plan,
    laxity_probe_note note,
    struct laxity_error *error
)
{
    struct session session = {
        .probe = probe, .plan = plan, .dir_fd = -1, .npy = {.fd = -1}, .kill_at_ns = INT64_MAX
    };
    if (map_shared(&session, error)) {
        return -1;
    }
    if (open_output(&session, error)) {
        goto unmap;
    }
    catch_signals();
    step_aside(&session);
    if (start_child(&session, error)) {
        (void)laxity_npy_close(&session.npy);
        goto unmap;
    }
    complete(&session, follow(&session, error), error);
    tell_fallbacks(session.shared, note);
unmap:
    if (session.dir_fd >= 0) {
        (void)close(session.dir_fd);
    }
    (void)munmap(session.shared, session.mapped_bytes);
    return error->exit_code == 0 ? 0 : -1;
}

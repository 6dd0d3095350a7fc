/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * program: a workload each of whose jobs is one process of a program that knows nothing of us, and
 * as a co-runner each of whose passes is.
 *
 * Words: INPUT PROGRAM [WORD]... INPUT is the file on its standard input, "" an empty one.
 */
#include "base/error.h"
#include "harness/segment.h"
#include "harness/workload_ops.h"
#include "programs/held_process.h"
#include "programs/hold.h"
#include "programs/process_usage.h"

#include <laxity/hooks.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    WORD_INPUT,
    WORD_PROGRAM,
    WORDS_NEEDED,
    /* As much as output.log keeps of all processes of a run. */
    OUTPUT_BYTES_MAX = 1024 * 1024,
    CHUNK_BYTES = 16 * 1024,
};

/* Hooks have no argument that could lead them there. */
static struct laxity_held_process held;
static bool has_ticks;
static size_t output_bytes;
static bool is_noted;

int benchmark_init(int argc, void **argv)
{
    struct laxity_error error = {0};
    if (argc < WORDS_NEEDED) {
        (void)fprintf(stderr, "program: too few words; write laxity run --exec ./PROGRAM\n");
        return -1;
    }
    char **words = (char **)argv;
    if (laxity_held_open(&held, words + WORD_PROGRAM, words[WORD_INPUT], &error)) {
        laxity_job_failed(error.text);
    }
    return 0;
}

/* Never called: the job, or the pass, is the program's. */
void benchmark_execution(int argc, void **argv)
{
    (void)argc;
    (void)argv;
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
}

static void program_prepare(const struct laxity_segment *segment, int64_t release_ns)
{
    has_ticks = segment->ticks_name[0] != '\0';
    laxity_held_reset(&held, release_ns, true, has_ticks);
}

static void program_become(void)
{
    laxity_held_become(&held);
}

static int program_become_free(void)
{
    return laxity_held_become_free(&held);
}

static int program_hold(pid_t process, bool *out_is_ours, struct laxity_error *error)
{
    *out_is_ours = held.way == LAXITY_HOLD_AT_EXEC;
    return *out_is_ours ? laxity_held_await_stop(&held, process, error) : 0;
}

static void program_release(pid_t process)
{
    laxity_held_let_go(&held, process);
}

static bool program_has_started(void)
{
    return atomic_load_explicit(&held.hold->has_started, memory_order_acquire) != 0;
}

static int tell_not_held(struct laxity_error *error)
{
    const struct laxity_hold *hold = held.hold;
    if (hold->exec_error != 0) {
        laxity_error_set(
            error,
            LAXITY_EXIT_USAGE,
            "cannot start \"%.80s\": %s; build it or correct exec",
            held.words[0],
            strerrordesc_np(-hold->exec_error)
        );
    } else if (atomic_load(&hold->is_held) == 0) {
        laxity_error_set(
            error,
            LAXITY_EXIT_LACKING,
            "\"%.80s\" ran before its release: it does not load what holds it (LD_PRELOAD); link "
            "it "
            "statically",
            held.words[0]
        );
    }
    return error->exit_code != 0 ? -1 : 0;
}

static int program_take(
    pid_t process, int64_t finish_ns, struct laxity_job_record *record, struct laxity_error *error
)
{
    const struct laxity_hold_start *start = &held.hold->start;
    const int64_t exec_ns = laxity_process_time_ns(process);
    if (!program_has_started()) {
        return tell_not_held(error);
    }
    record->tid = (int32_t)process;
    record->start_ns = start->start_ns;
    record->finish_ns = finish_ns;
    record->start_ticks = start->start_ticks;
    record->finish_ticks = UINT64_MAX; /* of an instant that nobody was there to read it */
    record->cpu_start = start->cpu;
    record->cpu_finish = laxity_process_cpu(process);
    record->exec_ns =
        exec_ns == INT64_MIN || start->exec_ns == INT64_MIN ? INT64_MIN : exec_ns - start->exec_ns;
    return 0;
}

static int64_t program_ready_ns(void)
{
    return held.hold->start.ready_ns;
}

static void program_note(struct laxity_process_state *state)
{
    if (held.way == LAXITY_HOLD_AT_EXEC && !is_noted) {
        is_noted = true;
        state->memory_is_locked = 0;
        laxity_add_fallback(
            state,
            "begin at main",
            "begin at exec",
            "the program cannot be preloaded: its dynamic linking and the way to it are in each job"
        );
    } else if (held.hold->lock_error != 0 && state->memory_is_locked) {
        state->memory_is_locked = 0;
        laxity_add_fallback(
            state,
            "locked memory",
            "unlocked",
            "mlockall in the program; raise RLIMIT_MEMLOCK or run as root, else page faults may "
            "delay jobs"
        );
    }
}

static int32_t since(long now, int32_t before)
{
    return before == INT32_MIN ? INT32_MIN : (int32_t)(now - before);
}

/* What jobs print goes where a workload's own output goes, and never blocks a job. */
static void pass_on_output(void)
{
    char chunk[CHUNK_BYTES];
    off_t at = 0;
    while (output_bytes < OUTPUT_BYTES_MAX) {
        const ssize_t n = pread(held.output_fd, chunk, sizeof chunk, at);
        if (n <= 0 || write(STDOUT_FILENO, chunk, (size_t)n) != n) {
            return;
        }
        at += n;
        output_bytes += (size_t)n;
    }
}

static void program_reaped(const struct rusage *usage, struct laxity_job_record *record)
{
    const struct laxity_hold_start *start = &held.hold->start;
    record->preemptions = since(usage->ru_nivcsw, start->preemptions);
    record->minor_faults = since(usage->ru_minflt, start->minor_faults);
    record->major_faults = since(usage->ru_majflt, start->major_faults);
    record->blockings = INT32_MIN; /* its end is one, counted or not as it happens */
    pass_on_output();
}

static const struct laxity_program_ops program = {
    .prepare = program_prepare,
    .become = program_become,
    .become_free = program_become_free,
    .hold = program_hold,
    .release = program_release,
    .has_started = program_has_started,
    .take = program_take,
    .ready_ns = program_ready_ns,
    .note = program_note,
    .reaped = program_reaped,
};

__attribute__((constructor)) static void set_ops(void)
{
    laxity_workload_ops()->job_process = LAXITY_JOB_IN_PROGRAM;
    laxity_workload_ops()->program = &program;
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/recorder.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/output_directory.h"
#include "base/port/namespaces.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "trace/count_stream.h"
#include "trace/empty_switches.h"
#include "trace/event_sampler.h"
#include "trace/recorder_state.h"
#include "trace/sched_stream.h"
#include "trace/steal.h"
#include "trace/switch_stream.h"
#include "trace/thread_table.h"
#include "trace/trace.h"

#include <laxity/units.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    RECORDER_NICE = 10,
    /* At 340,000 switches a second on one CPU 16 MiB last 0.6 s; a pass every 20 ms leaves room for
     * the recorder itself being kept from its CPU. */
    PASS_MS = 20,
    FLUSH_NS = LAXITY_NS_PER_S / 2, /* "at least once a second" */
    RING_MIB = 16,
    ALL_RINGS_MIB = 256, /* on machines of many CPUs each gets less */
    LEAST_RING_MIB = 1,
    /* What is too old is dropped when the file has doubled, but not over and over in a small one:
     * 2.7 MB. */
    WINDOW_ROWS_MIN = 65536,
    FROM_TEXT_BYTES = 64,
    MIB = 1 << 20,
    /* The harness completes its streams when its caller dies; rows of its threads are joined. */
    HARNESS_WAIT_MS = 10000,
    HARNESS_POLL_MS = 10,
};

/* The trace; the histogram of switches, and what measuring that takes: NULL for one that does not
 * stamp both ends of a switch. */
static const struct {
    const char *name;
    const struct laxity_trace_backend *trace;
    const struct laxity_trace_backend *switches;
    const struct laxity_trace_backend *empty;
} backends[] = {
    {"bpf", &laxity_trace_bpf, &laxity_switches_bpf, &laxity_empty_bpf},
    {"perf", &laxity_trace_perf, &laxity_trace_perf, &laxity_empty_perf},
    {"tracefs", &laxity_trace_tracefs, NULL, NULL},
};
_Static_assert(sizeof backends / sizeof backends[0] == N_BACKENDS, "one refusal for each");

static uint64_t choose_ring_bytes(const struct recorder *recorder)
{
    if (recorder->recording->ring_bytes > 0) {
        return recorder->recording->ring_bytes;
    }
    uint64_t mib = RING_MIB;
    while (mib > LEAST_RING_MIB && mib * laxity_cpus_count(&recorder->cpus) > ALL_RINGS_MIB) {
        mib /= 2;
    }
    return mib * MIB;
}

static struct laxity_trace_setup make_setup(const struct recorder *recorder)
{
    return (struct laxity_trace_setup){
        .cpus = recorder->cpus,
        .ring_bytes = choose_ring_bytes(recorder),
        .kinds = recorder->recording->kinds,
    };
}

/* Records of the kernel would name other threads than those that have their numbers here. */
static int refuse_numbers(struct recorder *recorder, unsigned i)
{
    if (recorder->namespaces.has_machine_tids) {
        return 0;
    }
    return laxity_refuse(
        &recorder->refusals[i],
        LAXITY_EXIT_LACKING,
        "%s: this container has thread numbers of its own, and %s records the machine's; record "
        "outside it or use --backend perf",
        backends[i].name,
        backends[i].name
    );
}

static int open_backend(struct recorder *recorder, unsigned i)
{
    const bool is_histogram = recorder->recording->is_histogram;
    const struct laxity_trace_backend *backend =
        is_histogram ? backends[i].switches : backends[i].trace;
    if (!backend) {
        return laxity_refuse(
            &recorder->refusals[i],
            LAXITY_EXIT_LACKING,
            "%s: records no end of a switch, so how long it takes is not known; use another "
            "--backend",
            backends[i].name
        );
    }
    if (!backend->has_openers_tids && refuse_numbers(recorder, i)) {
        return -1;
    }
    const struct laxity_trace_setup setup = make_setup(recorder);
    if (backend->open(&setup, &recorder->state, &recorder->refusals[i])) {
        return -1;
    }
    recorder->backend = backend;
    recorder->empty = backends[i].empty;
    return 0;
}

/* A histogram asks for no kinds. */
static bool has_all_kinds(const struct recorder *recorder, unsigned i)
{
    const uint32_t kinds = recorder->recording->kinds;
    return recorder->recording->is_histogram || (backends[i].trace->supplies & kinds) == kinds;
}

/*
 * The order in which "auto" tries them: first those that know every kind of event asked for.
 *
 * Without wake-ups the question of a wait has no answer, which costs more than the exact end of a
 * switch (perf) saves.
 */
static void order_backends(const struct recorder *recorder, unsigned order[N_BACKENDS])
{
    unsigned n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < N_BACKENDS; i++) {
            if (has_all_kinds(recorder, i) == (pass == 0)) {
                order[n++] = i;
            }
        }
    }
}

static int choose_backend(
    struct recorder *recorder, void (*on_note)(const char *text), struct laxity_error *error
)
{
    const int asked = recorder->recording->backend;
    unsigned order[N_BACKENDS];
    order_backends(recorder, order);
    for (unsigned n = 0; n < N_BACKENDS; n++) {
        const unsigned i = order[n];
        if (asked != 0 && (unsigned)asked != i + 1) {
            continue;
        }
        if (open_backend(recorder, i) == 0) {
            return 0;
        }
        if (n + 1 < N_BACKENDS && asked == 0) {
            on_note(recorder->refusals[i].text);
        } else {
            *error = recorder->refusals[i];
        }
    }
    return -1;
}

/* Of a container: a trace is joined with what /proc and our own clock show. */
static int read_namespaces(struct recorder *recorder, struct laxity_error *error)
{
    struct laxity_namespaces *here = &recorder->namespaces;
    if (laxity_namespaces_read(here) != 0) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "/proc does not show this process; mount it for this PID namespace (mount -t proc)"
        );
    }
    if (!here->is_proc_ours) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "/proc shows the thread numbers of another PID namespace; mount its own "
            "(mount -t proc)"
        );
    }
    if (!here->is_clock_known) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "the clock of this time namespace is not known; enter it by a new process (unshare -f)"
        );
    }
    return 0;
}

/* Threads of other PID namespaces have the number of an idle CPU; so neither is recorded. */
static void note_hidden_threads(struct recorder *recorder, void (*on_note)(const char *text))
{
    if (recorder->namespaces.has_machine_tids || recorder->recording->is_histogram) {
        return;
    }
    laxity_error_set(
        &recorder->hidden_threads,
        LAXITY_EXIT_LACKING,
        "%s: idle CPUs and threads outside this container look alike; record outside it to tell "
        "them apart",
        recorder->backend->name
    );
    on_note(recorder->hidden_threads.text);
}

static int open_sampler(struct recorder *recorder, struct laxity_error *error)
{
    const struct laxity_sampling *sampling = &recorder->recording->sampling;
    if (sampling->n_events == 0) {
        return 0;
    }
    return laxity_event_sampler_open(sampling, &recorder->cpus, &recorder->sampler, error);
}

static const char *stream_name(const struct recorder *recorder)
{
    return recorder->recording->is_histogram ? "switches.npy" : "sched.npy";
}

static int open_output(struct recorder *recorder, struct laxity_error *error)
{
    const char *path = recorder->recording->run_dir;
    recorder->dir_fd = laxity_open_output_directory(path, error);
    if (recorder->dir_fd < 0) {
        return -1;
    }
    if (faccessat(recorder->dir_fd, stream_name(recorder), F_OK, 0) == 0) {
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "%.100s: holds a trace; choose another --run-dir", path
        );
    }
    return 0;
}

static void refuse_output(const char *name, int rc, struct laxity_error *error)
{
    laxity_error_set(
        error,
        LAXITY_EXIT_LACKING,
        "%s: cannot be written (%s); free space or name another --run-dir",
        name,
        strerrordesc_np(-rc)
    );
}

/* Off the tasks' CPUs if there are others, and behind whatever else runs there. */
static void move_aside(const struct recorder *recorder)
{
    const struct laxity_cpus others =
        laxity_cpus_without(&recorder->cpus, &recorder->recording->avoided);
    if (!laxity_cpus_is_empty(&others)) {
        (void)laxity_set_affinity(&others);
    }
    (void)setpriority(PRIO_PROCESS, 0, RECORDER_NICE);
}

static int open_stream(struct recorder *recorder, struct laxity_error *error)
{
    int rc = 0;
    int fd = -1;
    if (recorder->recording->is_histogram) {
        rc = laxity_switch_stream_open(recorder->dir_fd, &recorder->cpus, &recorder->switches);
        recorder->sink = laxity_switch_stream_sink(&recorder->switches);
        fd = recorder->switches.npy.fd;
    } else {
        rc = laxity_sched_stream_open(recorder->dir_fd, &recorder->stream);
        recorder->stream.clock_offset_ns = recorder->namespaces.monotonic_offset_ns;
        recorder->stream.has_hidden_threads = !recorder->namespaces.has_machine_tids;
        recorder->sink = laxity_sched_stream_sink(&recorder->stream);
        fd = recorder->stream.npy.fd;
    }
    if (rc) {
        refuse_output(stream_name(recorder), rc, error);
        return -1;
    }
    /* A file system without locks leaves a reader to look for trace.json alone. */
    recorder->lock_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    (void)flock(recorder->lock_fd, LOCK_EX | LOCK_NB);
    return 0;
}

static int open_samples(struct recorder *recorder, struct laxity_error *error)
{
    if (!recorder->sampler) {
        return 0;
    }
    const int rc = laxity_count_stream_open(recorder->dir_fd, &recorder->counts);
    recorder->counts.clock_offset_ns = recorder->namespaces.monotonic_offset_ns;
    recorder->counts.has_hidden_threads = !recorder->namespaces.has_machine_tids;
    if (rc) {
        refuse_output("counters.npy", rc, error);
    }
    return rc;
}

static int close_trace(struct recorder *recorder)
{
    if (recorder->recording->is_histogram) {
        return laxity_switch_stream_close(&recorder->switches);
    }
    return laxity_sched_stream_close(&recorder->stream, recorder->dir_fd);
}

static int close_stream(struct recorder *recorder)
{
    const int rc = laxity_count_stream_close(&recorder->counts);
    const int closed = close_trace(recorder);
    return closed ? closed : rc;
}

/* Of a histogram: before anything that is measured begins, on every CPU. */
static void measure_empty(struct recorder *recorder, void (*on_note)(const char *text))
{
    const struct laxity_trace_setup setup = make_setup(recorder);
    if (laxity_measure_empty_switches(
            recorder->empty, &setup, &recorder->switches, &recorder->empty_refusal
        )) {
        on_note(recorder->empty_refusal.text);
    }
}

static int start(struct recorder *recorder, struct laxity_error *error)
{
    (void)laxity_steal_read(&recorder->steal_before); /* absent if it cannot be read */
    int rc = recorder->backend->start(recorder->state);
    if (rc == 0 && recorder->sampler) {
        rc = laxity_event_sampler_start(recorder->sampler);
    }
    if (rc) {
        laxity_error_set(
            error,
            LAXITY_EXIT_LACKING,
            "%s: cannot be started: %s; try another --backend",
            recorder->backend->name,
            strerrordesc_np(-rc)
        );
        (void)close_stream(recorder);
        return -1;
    }
    /* From here on every CPU is watched, and all that is to be recorded of it. */
    recorder->started_ns = laxity_now_ns();
    recorder->stream.from_ns = recorder->started_ns;
    recorder->counts.from_ns = recorder->started_ns;
    if (!recorder->recording->is_histogram) {
        (void)laxity_thread_table_scan(&recorder->stream.threads, recorder->started_ns);
    }
    if (recorder->recording->ready_fd >= 0) {
        (void)!write(recorder->recording->ready_fd, "ready\n", strlen("ready\n"));
        (void)close(recorder->recording->ready_fd);
    }
    return 0;
}

/* Returns true once the other end of the parent's pipe is closed. */
static bool wait_a_pass(int parent_fd)
{
    struct pollfd parent = {.fd = parent_fd, .events = 0};
    return poll(&parent, 1, PASS_MS) > 0 && (parent.revents & (POLLHUP | POLLERR)) != 0;
}

/* On failure all rows are kept, and it is tried again. */
static void drop_before(struct recorder *recorder, int64_t from_ns)
{
    if (from_ns <= recorder->started_ns ||
        laxity_sched_stream_drop_before(&recorder->stream, recorder->dir_fd, from_ns) != 0) {
        return;
    }
    recorder->started_ns = from_ns;
    recorder->has_window = true;
    recorder->window_rows = recorder->stream.npy.rows;
    (void)close(recorder->lock_fd);
    recorder->lock_fd = fcntl(recorder->stream.npy.fd, F_DUPFD_CLOEXEC, 0);
}

static void drop_old(struct recorder *recorder, int64_t now_ns)
{
    const int64_t keep_last_ns = recorder->recording->keep_last_ns;
    const uint64_t rows = recorder->stream.npy.rows;
    if (keep_last_ns != LAXITY_ABSENT_NS && rows >= WINDOW_ROWS_MIN &&
        rows / 2 >= recorder->window_rows) {
        drop_before(recorder, now_ns - keep_last_ns);
    }
}

/* What the parent has said before it closed its end, else what is kept in any case. */
static int64_t window_begin_ns(const struct recorder *recorder)
{
    const struct laxity_recording *recording = recorder->recording;
    static const char word[] = "from ";
    char text[FROM_TEXT_BYTES] = {0};
    struct pollfd parent = {.fd = recording->parent_fd, .events = POLLIN};
    int64_t from_ns = 0;
    if (poll(&parent, 1, 0) > 0 && (parent.revents & POLLIN) != 0 &&
        read(recording->parent_fd, text, sizeof text - 1) > 0 &&
        strncmp(text, word, strlen(word)) == 0) {
        text[strcspn(text, "\n")] = '\0';
        uint64_t value = 0;
        if (laxity_parse_count(text + strlen(word), 0, INT64_MAX, &value) == 0) {
            from_ns = (int64_t)value;
        }
    }
    if (from_ns == 0 && recording->keep_last_ns != LAXITY_ABSENT_NS) {
        from_ns = recorder->stopped_ns - recording->keep_last_ns;
    }
    return from_ns < recorder->stopped_ns ? from_ns : recorder->stopped_ns;
}

/* What the back-end lacks is counted. */
static void drain(struct recorder *recorder)
{
    const int64_t begun_ns = laxity_now_ns();
    (void)recorder->backend->drain(recorder->state, &recorder->sink);
    if (recorder->sampler) {
        laxity_event_sampler_drain(recorder->sampler, laxity_count_stream_take, &recorder->counts);
    }
    if (!recorder->recording->is_histogram) {
        (void)laxity_sched_stream_settle(&recorder->stream, begun_ns); /* told at the next flush */
    }
}

static int flush(struct recorder *recorder)
{
    const int rc = recorder->sampler ? laxity_count_stream_flush(&recorder->counts) : 0;
    const int flushed = laxity_sched_stream_flush(&recorder->stream);
    return flushed ? flushed : rc;
}

/* Returns 0 when told to stop, or -errno: the output is full. */
static int record(struct recorder *recorder)
{
    const struct laxity_recording *recording = recorder->recording;
    int64_t flushed_ns = recorder->started_ns;
    int rc = 0;
    while (rc == 0 && !*recording->is_stopped && !wait_a_pass(recording->parent_fd)) {
        drain(recorder);
        const int64_t now_ns = laxity_now_ns();
        if (now_ns - flushed_ns > FLUSH_NS && !recording->is_histogram) {
            drop_old(recorder, now_ns);
            rc = flush(recorder);
            flushed_ns = now_ns;
        }
        if (recording->duration_ns != LAXITY_ABSENT_NS &&
            now_ns - recorder->started_ns >= recording->duration_ns) {
            break;
        }
    }
    return rc;
}

/* The harness has completed its streams when its link to the segment is gone. */
static void await_harness(int dir_fd)
{
    struct stat status;
    for (int waited_ms = 0; waited_ms < HARNESS_WAIT_MS; waited_ms += HARNESS_POLL_MS) {
        if (fstatat(dir_fd, "segment", &status, AT_SYMLINK_NOFOLLOW) != 0) {
            return;
        }
        laxity_pause_ns((int64_t)HARNESS_POLL_MS * LAXITY_NS_PER_MS);
    }
}

static void finish(struct recorder *recorder, struct laxity_error *error)
{
    recorder->stopped_ns = laxity_now_ns();
    recorder->stream.to_ns = recorder->stopped_ns;
    recorder->counts.to_ns = recorder->stopped_ns;
    (void)recorder->backend->stop(recorder->state, &recorder->sink);
    if (recorder->sampler) {
        laxity_event_sampler_stop(recorder->sampler, laxity_count_stream_take, &recorder->counts);
    }
    (void)laxity_steal_read(&recorder->steal_after);
    await_harness(recorder->dir_fd);
    if (!recorder->recording->is_histogram) {
        drop_before(recorder, window_begin_ns(recorder));
    }
    int rc = close_stream(recorder);
    const int written = laxity_write_trace_summary(recorder);
    rc = rc ? rc : written;
    if (rc) {
        refuse_output("the trace", rc, error);
    }
}

static void
run(struct recorder *recorder, void (*on_note)(const char *text), struct laxity_error *error)
{
    if (open_stream(recorder, error)) {
        return;
    }
    if (open_samples(recorder, error)) {
        (void)close_trace(recorder);
        return;
    }
    if (recorder->recording->is_histogram) {
        measure_empty(recorder, on_note);
    }
    move_aside(recorder);
    if (start(recorder, error) == 0) {
        (void)record(recorder);
        finish(recorder, error);
    }
    laxity_switch_stream_free(&recorder->switches);
}

int laxity_record_trace(
    const struct laxity_recording *recording,
    void (*on_note)(const char *text),
    struct laxity_error *error
)
{
    struct recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "out of memory; end other programs");
    }
    recorder->recording = recording;
    recorder->dir_fd = -1;
    recorder->lock_fd = -1;
    const int rc = laxity_get_online_cpus(&recorder->cpus);
    if (rc) {
        laxity_error_set(
            error, LAXITY_EXIT_LACKING, "online CPUs: %s; mount /sys", strerrordesc_np(-rc)
        );
    } else if (read_namespaces(recorder, error) == 0 &&
               choose_backend(recorder, on_note, error) == 0) {
        note_hidden_threads(recorder, on_note);
        if (open_sampler(recorder, error) == 0 && open_output(recorder, error) == 0) {
            run(recorder, on_note, error);
        }
        laxity_event_sampler_close(recorder->sampler);
        recorder->backend->close(recorder->state);
    }
    if (recorder->dir_fd >= 0) {
        (void)close(recorder->dir_fd);
    }
    if (recorder->lock_fd >= 0) {
        (void)close(recorder->lock_fd);
    }
    free(recorder);
    return error->exit_code ? -1 : 0;
}

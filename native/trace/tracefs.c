/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Back-end "tracefs": the kernel's own tracepoints, recorded by a private instance.
 *
 * It knows what perf's switches do not: wake-ups, migrations, interrupts. Off and on of a switch
 * are one record, made before the switch. Nothing of the machine's own tracing is touched.
 */
#include "base/port/tracefs.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/namespaces.h"
#include "schema/run.h"
#include "schema/streams.h"
#include "trace/trace.h"
#include "trace/tracefs_format.h"
#include "trace/tracefs_records.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    KIB = 1024,
    LEAST_RING_BYTES = 256 * KIB,
    FORMAT_BYTES = 16 * KIB, /* the longest that we know has 2 KiB */
    STATS_BYTES = 1024,
    NUMBER_BYTES = 24,
    DECIMAL = 10,
};

static const struct laxity_tracepoint_kind kinds[] = {
    {.system = "sched",
     .name = "sched_switch",
     .action = LAXITY_TRACEPOINT_SWITCH,
     .supplies = LAXITY_SUPPLIES(LAXITY_SCHED_KIND_OFF) | LAXITY_SUPPLIES(LAXITY_SCHED_KIND_ON),
     .fields = {"prev_pid", "prev_state", "next_pid"}},
    {.system = "sched",
     .name = "sched_wakeup",
     .action = LAXITY_TRACEPOINT_WAKEUP,
     .supplies = LAXITY_SUPPLIES(LAXITY_SCHED_KIND_WAKEUP),
     .fields = {"pid", "target_cpu"}},
    {.system = "sched",
     .name = "sched_wakeup_new",
     .action = LAXITY_TRACEPOINT_WAKEUP,
     .supplies = LAXITY_SUPPLIES(LAXITY_SCHED_KIND_WAKEUP),
     .fields = {"pid", "target_cpu"}},
    {.system = "sched",
     .name = "sched_migrate_task",
     .action = LAXITY_TRACEPOINT_MIGRATE,
     .supplies = LAXITY_SUPPLIES(LAXITY_SCHED_KIND_MIGRATE),
     .fields = {"pid", "dest_cpu"}},
    /* Not sched_process_fork, which does not tell a thread from a process. */
    {.system = "task",
     .name = "task_newtask",
     .action = LAXITY_TRACEPOINT_FORK,
     .supplies = LAXITY_SUPPLIES(LAXITY_SCHED_KIND_FORK),
     .fields = {"pid", "clone_flags"}},
    {.system = "sched",
     .name = "sched_process_exit",
     .action = LAXITY_TRACEPOINT_EXIT,
     .supplies = LAXITY_SUPPLIES(LAXITY_SCHED_KIND_EXIT),
     .fields = {"pid"}},
    {.system = "task",
     .name = "task_rename",
     .action = LAXITY_TRACEPOINT_RENAME,
     .fields = {"pid", "newcomm"}},
    {.system = "irq",
     .name = "irq_handler_entry",
     .action = LAXITY_TRACEPOINT_IRQ_IN,
     .supplies = LAXITY_SUPPLIES(LAXITY_SCHED_KIND_IRQ_IN),
     .fields = {"irq", "name"}},
    {.system = "irq",
     .name = "irq_handler_exit",
     .action = LAXITY_TRACEPOINT_IRQ_OUT,
     .supplies = LAXITY_SUPPLIES(LAXITY_SCHED_KIND_IRQ_OUT),
     .fields = {"irq"}},
    {.system = "irq",
     .name = "softirq_entry",
     .action = LAXITY_TRACEPOINT_SOFTIRQ_IN,
     .supplies = LAXITY_SUPPLIES(LAXITY_SCHED_KIND_SOFTIRQ_IN),
     .fields = {"vec"}},
    {.system = "irq",
     .name = "softirq_exit",
     .action = LAXITY_TRACEPOINT_SOFTIRQ_OUT,
     .supplies = LAXITY_SUPPLIES(LAXITY_SCHED_KIND_SOFTIRQ_OUT),
     .fields = {"vec"}},
};
enum {
    N_KINDS = sizeof kinds / sizeof kinds[0],
    IRQ_KINDS =
        LAXITY_SUPPLIES(LAXITY_SCHED_KIND_IRQ_IN) | LAXITY_SUPPLIES(LAXITY_SCHED_KIND_IRQ_OUT),
    /* What costs next to nothing, and names threads: recorded whether asked for or not. */
    ALWAYS = LAXITY_SUPPLIES(LAXITY_SCHED_KIND_OFF) | LAXITY_SUPPLIES(LAXITY_SCHED_KIND_ON) |
             LAXITY_SUPPLIES(LAXITY_SCHED_KIND_FORK) | LAXITY_SUPPLIES(LAXITY_SCHED_KIND_EXIT),
};

/* x86: interrupts that only the CPU numbers, each a pair NAME_entry and NAME_exit. */
static const char vectors[] = "irq_vectors";
static const struct laxity_tracepoint_kind vector_in = {
    .system = vectors, .action = LAXITY_TRACEPOINT_VECTOR_IN, .fields = {"vector"}
};
static const struct laxity_tracepoint_kind vector_out = {
    .system = vectors, .action = LAXITY_TRACEPOINT_VECTOR_OUT, .fields = {"vector"}
};

struct cpu_pipe {
    int fd;
    int32_t cpu;
    uint64_t told_lost; /* what pages have told */
};

struct tracefs_state {
    struct laxity_tracefs_instance instance;
    struct laxity_tracefs_layout layout;
    uint64_t ring_bytes;
    uint32_t supplies;
    unsigned char *page;
    unsigned n;
    struct cpu_pipe pipes[];
};

static void refuse(struct laxity_error *error, const char *what, int rc, const char *advice)
{
    const char *why = strerrordesc_np(-rc);
    laxity_error_set(
        error, LAXITY_EXIT_LACKING, "tracefs: %.60s: %s; %.80s", what, why ? why : "", advice
    );
}

static void refuse_instance(int rc, struct laxity_error *error)
{
    const char *advice = "run as root";
    if (rc == -ENODEV || rc == -ENOENT || rc == -ENOSYS) {
        advice = "mount it, or use a kernel with CONFIG_FTRACE";
    } else if (rc == -EEXIST) {
        advice = "remove it";
    } else if (rc == -ENOMEM) {
        advice = "end other programs";
    } else if (geteuid() == 0) {
        advice = "this system keeps it even from root";
    }
    refuse(error, "no private instance can be made", rc, advice);
}

static void close_pipes(struct tracefs_state *state)
{
    for (unsigned i = 0; i < state->n; i++) {
        (void)close(state->pipes[i].fd);
    }
    state->n = 0;
}

static void tracefs_close(void *opaque)
{
    struct tracefs_state *state = opaque;
    close_pipes(state); /* an instance in use cannot be removed */
    (void)laxity_tracefs_remove(&state->instance);
    free(state->page);
    free(state);
}

/* Returns 0 or -errno: there is no such tracepoint, or it is not as we know it. */
static int
add(struct tracefs_state *state, const struct laxity_tracepoint_kind *kind, const char *name)
{
    char path[PATH_MAX];
    char text[FORMAT_BYTES];
    laxity_format(path, sizeof path, "events/%s/%s/format", kind->system, name);
    const int rc = laxity_tracefs_read(state->instance.dir_fd, path, text, sizeof text);
    if (rc) {
        return rc;
    }
    return laxity_tracefs_add(&state->layout, kind, text, name);
}

/* Both ends of one vector, or neither. */
static void add_vector(struct tracefs_state *state, const char *entry, size_t stem_bytes)
{
    char exit_name[LAXITY_TRACEPOINT_NAME_BYTES];
    if (strlen(entry) >= sizeof exit_name || state->layout.n + 2 > LAXITY_TRACEPOINTS_MAX) {
        return;
    }
    laxity_format(exit_name, sizeof exit_name, "%.*s_exit", (int)stem_bytes, entry);
    if (add(state, &vector_out, exit_name) == 0) {
        (void)add(state, &vector_in, entry);
    }
}

static void add_vectors(struct tracefs_state *state)
{
    static const char ending[] = "_entry";
    const int fd =
        openat(state->instance.dir_fd, "events/irq_vectors", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = fd >= 0 ? fdopendir(fd) : NULL;
    if (!names) {
        return; /* not an x86, or without such tracepoints */
    }
    const struct dirent *found = NULL;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread reads this directory stream */
    while ((found = readdir(names))) {
        const size_t length = strlen(found->d_name);
        if (length > strlen(ending) &&
            strcmp(found->d_name + length - strlen(ending), ending) == 0) {
            add_vector(state, found->d_name, length - strlen(ending));
        }
    }
    (void)closedir(names);
}

static bool is_wanted(const struct laxity_tracepoint_kind *kind, uint32_t asked)
{
    return kind->supplies == 0 || (kind->supplies & (asked | ALWAYS)) != 0;
}

/* What this kernel has of what is asked for. Returns 0, or -errno: not even switches. */
static int find_tracepoints(struct tracefs_state *state, uint32_t asked)
{
    char text[FORMAT_BYTES];
    int rc = laxity_tracefs_read(state->instance.dir_fd, "events/header_page", text, sizeof text);
    rc = rc ? rc : laxity_tracefs_parse_page(text, &state->layout.page);
    if (rc) {
        return rc;
    }
    for (unsigned i = 0; i < N_KINDS; i++) {
        if (!is_wanted(&kinds[i], asked)) {
            continue;
        }
        const int added = add(state, &kinds[i], kinds[i].name);
        if (added == 0) {
            state->supplies |= kinds[i].supplies;
        } else if (kinds[i].action == LAXITY_TRACEPOINT_SWITCH) {
            return added;
        }
    }
    if ((asked & IRQ_KINDS) != 0) {
        add_vectors(state);
    }
    return 0;
}

/* As large as there is memory for. Returns 0 or -errno. */
static int size_ring(struct tracefs_state *state, uint64_t bytes)
{
    char text[NUMBER_BYTES];
    int rc = -ENOMEM;
    for (; rc == -ENOMEM && bytes >= LEAST_RING_BYTES; bytes /= 2) {
        laxity_format(text, sizeof text, "%llu", (unsigned long long)bytes / KIB);
        rc = laxity_tracefs_write(state->instance.dir_fd, "buffer_size_kb", text);
        state->ring_bytes = bytes;
    }
    return rc;
}

static int open_pipes(struct tracefs_state *state, const struct laxity_cpus *cpus)
{
    char path[PATH_MAX];
    for (unsigned cpu = 0; cpu < LAXITY_CPUS_MAX; cpu++) {
        if (!laxity_cpus_has(cpus, cpu)) {
            continue;
        }
        laxity_format(path, sizeof path, "per_cpu/cpu%u/trace_pipe_raw", cpu);
        const int fd = openat(state->instance.dir_fd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0) {
            return -errno;
        }
        state->pipes[state->n++] = (struct cpu_pipe){.fd = fd, .cpu = (int32_t)cpu};
    }
    return 0;
}

static int prepare(
    struct tracefs_state *state, const struct laxity_trace_setup *setup, struct laxity_error *error
)
{
    const int dir_fd = state->instance.dir_fd;
    int rc = laxity_tracefs_write(dir_fd, "tracing_on", "0");
    rc = rc ? rc : laxity_tracefs_write(dir_fd, "trace_clock", "mono");
    if (rc) {
        refuse(error, "its clock cannot be set to mono", rc, "use Linux 4.2 or later");
        return -1;
    }
    /* The kernel would keep the name of each thread that is switched to; we know them. */
    (void)laxity_tracefs_write(dir_fd, "options/record-cmd", "0");
    rc = find_tracepoints(state, setup->kinds);
    if (rc) {
        refuse(error, "sched_switch is missing", rc, "try another --backend");
        return -1;
    }
    rc = size_ring(state, setup->ring_bytes);
    if (rc) {
        refuse(error, "no memory for its ring", rc, "name a smaller --ring");
        return -1;
    }
    rc = open_pipes(state, &setup->cpus);
    state->page = malloc(state->layout.page.bytes);
    if (rc || !state->page) {
        refuse(error, "its ring cannot be read", rc ? rc : -ENOMEM, "try another --backend");
        return -1;
    }
    return 0;
}

static int
tracefs_open(const struct laxity_trace_setup *setup, void **out_state, struct laxity_error *error)
{
    const unsigned n = laxity_cpus_count(&setup->cpus);
    struct tracefs_state *state = calloc(1, sizeof *state + n * sizeof state->pipes[0]);
    if (!state) {
        refuse(error, "its state", -ENOMEM, "end other programs");
        return -1;
    }
    struct laxity_namespaces here;
    if (laxity_namespaces_read(&here) != 0 || here.boottime_offset_ns != 0) {
        /* Others tell by the start time in its name whether its recorder lives. */
        refuse(error, "this time namespace moves the boot time", -EXDEV, "use another --backend");
        free(state);
        return -1;
    }
    (void)laxity_tracefs_remove_left(NULL); /* what killed recorders have left */
    const int rc = laxity_tracefs_make(&state->instance);
    if (rc) {
        refuse_instance(rc, error);
        free(state);
        return -1;
    }
    if (prepare(state, setup, error) != 0) {
        tracefs_close(state);
        return -1;
    }
    *out_state = state;
    return 0;
}

/* All are switched on before the first is recorded, so that they begin together. */
static int tracefs_start(void *opaque)
{
    struct tracefs_state *state = opaque;
    char path[PATH_MAX];
    for (unsigned i = 0; i < state->layout.n; i++) {
        const struct laxity_tracepoint *tracepoint = &state->layout.tracepoints[i];
        laxity_format(
            path, sizeof path, "events/%s/%s/enable", tracepoint->kind->system, tracepoint->name
        );
        const int rc = laxity_tracefs_write(state->instance.dir_fd, path, "1");
        if (rc && tracepoint->kind->action == LAXITY_TRACEPOINT_SWITCH) {
            return rc;
        }
        if (rc) {
            state->supplies &= ~tracepoint->kind->supplies;
        }
    }
    return laxity_tracefs_write(state->instance.dir_fd, "tracing_on", "1");
}

static int
drain_pipe(struct tracefs_state *state, struct cpu_pipe *pipe, const struct laxity_trace_sink *sink)
{
    for (;;) {
        const ssize_t got = read(pipe->fd, state->page, state->layout.page.bytes);
        if (got <= 0) {
            return got == 0 || errno == EAGAIN ? 0 : -errno;
        }
        const int rc = laxity_tracefs_page_parse(
            &state->layout, state->page, (size_t)got, pipe->cpu, sink, &pipe->told_lost
        );
        if (rc) {
            sink->on_lost(sink->context, pipe->cpu, 1); /* at least: how many cannot be told */
            return rc;
        }
    }
}

static int tracefs_drain(void *opaque, const struct laxity_trace_sink *sink)
{
    struct tracefs_state *state = opaque;
    int rc = 0;
    for (unsigned i = 0; i < state->n; i++) {
        const int drained = drain_pipe(state, &state->pipes[i], sink);
        rc = rc ? rc : drained;
    }
    return rc;
}

/* "overrun: 12" in the text of a CPU's stats; 0 where it does not stand. */
static uint64_t count_of(const char *text, const char *key)
{
    const size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0) {
            return strtoull(line + length, NULL, DECIMAL);
        }
    }
    return 0;
}

/* What was lost in all; pages tell only of what is missing before them. */
static void settle_losses(
    const struct tracefs_state *state,
    const struct cpu_pipe *pipe,
    const struct laxity_trace_sink *sink
)
{
    char path[PATH_MAX];
    char text[STATS_BYTES];
    laxity_format(path, sizeof path, "per_cpu/cpu%d/stats", (int)pipe->cpu);
    if (laxity_tracefs_read(state->instance.dir_fd, path, text, sizeof text) != 0) {
        return;
    }
    const uint64_t lost = count_of(text, "overrun: ") + count_of(text, "commit overrun: ") +
                          count_of(text, "dropped events: ");
    if (lost > pipe->told_lost) {
        sink->on_lost(sink->context, pipe->cpu, lost - pipe->told_lost);
    }
}

static int tracefs_stop(void *opaque, const struct laxity_trace_sink *sink)
{
    struct tracefs_state *state = opaque;
    int rc = laxity_tracefs_write(state->instance.dir_fd, "tracing_on", "0");
    const int drained = tracefs_drain(state, sink);
    rc = rc ? rc : drained;
    for (unsigned i = 0; i < state->n; i++) {
        settle_losses(state, &state->pipes[i], sink);
    }
    return rc;
}

static uint64_t tracefs_ring_bytes(const void *opaque)
{
    const struct tracefs_state *state = opaque;
    return state->ring_bytes;
}

enum {
    ALL_SUPPLIES = LAXITY_SUPPLIES(LAXITY_SCHED_KIND_COUNT) - 1
};

static uint32_t tracefs_lacks(const void *opaque)
{
    const struct tracefs_state *state = opaque;
    return ALL_SUPPLIES & ~state->supplies;
}

const struct laxity_trace_backend laxity_trace_tracefs = {
    .name = "tracefs",
    .supplies = ALL_SUPPLIES,
    .lacks = tracefs_lacks,
    .open = tracefs_open,
    .start = tracefs_start,
    .drain = tracefs_drain,
    .stop = tracefs_stop,
    .ring_bytes = tracefs_ring_bytes,
    .close = tracefs_close,
};

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/empty_switches.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "schema/streams.h"
#include "trace/switch_stream.h"
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ROUNDS = 1000, /* of two switches: enough for a p99 */
    /* Where others keep the CPU, fewer must do. */
    LIMIT_NS = LAXITY_NS_PER_S / 5,
};

/* Answers every byte until the other end is closed. */
static void answer(int in, int out)
{
    char byte = 0;
    while (read(in, &byte, 1) == 1 && write(out, &byte, 1) == 1) {
    }
    _exit(0);
}

static void ask(int in, int out)
{
    const int64_t end_ns = laxity_now_ns() + LIMIT_NS;
    char byte = 0;
    for (int i = 0; i < ROUNDS && laxity_now_ns() < end_ns; i++) {
        if (write(out, &byte, 1) != 1 || read(in, &byte, 1) != 1) {
            return;
        }
    }
}

/* Closes all four ends. Returns 0 or -errno. */
static int hand_over(int there[2], int back[2])
{
    const pid_t child = fork();
    if (child == 0) {
        (void)close(there[1]); /* or it would never see the end */
        (void)close(back[0]);
        answer(there[0], back[1]);
    }
    const int rc = child < 0 ? -errno : 0;
    (void)close(there[0]);
    (void)close(back[1]);
    if (rc == 0) {
        ask(back[0], there[1]);
    }
    (void)close(there[1]);
    (void)close(back[0]);
    if (rc == 0) {
        (void)waitpid(child, NULL, 0);
    }
    return rc;
}

/* Returns 0 or -errno: -EINVAL for a CPU that the caller may not use. */
static int make_switches(unsigned cpu)
{
    struct laxity_cpus here = {0};
    laxity_cpus_add(&here, cpu);
    const int rc = laxity_set_affinity(&here);
    if (rc) {
        return rc;
    }
    int there[2];
    int back[2];
    if (pipe2(there, O_CLOEXEC)) {
        return -errno;
    }
    if (pipe2(back, O_CLOEXEC)) {
        const int refused = -errno;
        (void)close(there[0]);
        (void)close(there[1]);
        return refused;
    }
    return hand_over(there, back);
}

static int switch_everywhere(
    const struct laxity_trace_backend *backend,
    void *state,
    const struct laxity_cpus *cpus,
    const struct laxity_trace_sink *sink
)
{
    int rc = 0;
    for (unsigned cpu = 0; cpu < laxity_cpus_end(cpus) && rc == 0; cpu++) {
        if (laxity_cpus_has(cpus, cpu)) {
            /* One that the caller may not use has no such rows. */
            const int made = make_switches(cpu);
            rc = made == -EINVAL ? 0 : made;
            (void)backend->drain(state, sink);
        }
    }
    return rc;
}

int laxity_measure_empty_switches(
    const struct laxity_trace_backend *backend,
    const struct laxity_trace_setup *setup,
    struct laxity_switch_stream *stream,
    struct laxity_error *error
)
{
    void *state = NULL;
    if (backend->open(setup, &state, error)) {
        return -1;
    }
    struct laxity_cpus before;
    const int known = laxity_get_affinity(&before);
    stream->quantity = LAXITY_SWITCHES_QUANTITY_EMPTY;
    const struct laxity_trace_sink sink = laxity_switch_stream_sink(stream);
    int rc = backend->start(state);
    if (rc == 0) {
        rc = switch_everywhere(backend, state, &setup->cpus, &sink);
        (void)backend->stop(state, &sink);
    }
    backend->close(state);
    stream->quantity = LAXITY_SWITCHES_QUANTITY_KERNEL;
    if (known == 0) {
        (void)laxity_set_affinity(&before);
    }
    if (rc) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "%s: what recording a switch takes was not measured (%s); no figure can be corrected "
            "for it",
            backend->name,
            strerrordesc_np(-rc)
        );
    }
    return 0;
}

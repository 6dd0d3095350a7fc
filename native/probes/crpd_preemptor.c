/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/crpd_preemptor.h"

#include "base/error.h"
#include "base/port/flush.h"
#include "base/port/time.h"
#include "codegen/code.h"
#include "probes/companion.h"
#include "probes/crpd_patterns.h"
#include "probes/evict.h"
#include "probes/probe.h"
#include "schema/streams.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum {
    NO_CPU = UINT32_MAX >> 1,
};

/* What evicts, in the preemptor's own memory; it dies with the process. */
struct means {
    volatile unsigned char *buffer;
    struct laxity_code code; /* in blocks; nothing unless it is to be executed */
};

/* A measured loop: nothing else may be in it, or spinning is not "the same but for the lines". */
static void spin_until(int64_t end_ns)
{
    while (laxity_now_ns() < end_ns) {
        /* Touches nothing but the clock. */
    }
}

/* Block by block, as buffers (evict.h); a run begins as many bytes before the end of its block as
 * it executes. */
static void evict_by_code(const struct laxity_code *code, size_t code_bytes)
{
    for (size_t at = 0; at < code_bytes; at += LAXITY_EVICT_BLOCK_BYTES) {
        const size_t rest = code_bytes - at;
        const size_t skipped =
            rest < LAXITY_EVICT_BLOCK_BYTES ? LAXITY_EVICT_BLOCK_BYTES - rest : 0;
        for (int pass = 0; pass < LAXITY_EVICT_BLOCK_PASSES; pass++) {
            (void)laxity_code_run(code, at + skipped - skipped % laxity_crpd_line_bytes(), 0);
        }
    }
}

static void evict(const struct laxity_crpd_order *order, const struct means *means)
{
    const size_t buffer_bytes = (size_t)order->evict_bytes;
    volatile unsigned char *buffer = means->buffer;
    switch ((enum laxity_crpd_evict)order->evict) {
    case LAXITY_CRPD_EVICT_WRITE:
        laxity_evict_by_writing(buffer, buffer_bytes);
        return;
    case LAXITY_CRPD_EVICT_READ:
        laxity_evict_by_reading(buffer, buffer_bytes);
        return;
    case LAXITY_CRPD_EVICT_EXECUTE:
        evict_by_code(&means->code, buffer_bytes);
        return;
    case LAXITY_CRPD_EVICT_FLUSH:
        laxity_flush(order->working_set, (size_t)order->working_set_bytes);
        return;
    }
}

/* Until the victim closes its end. */
static void serve(
    struct laxity_probe_run *run,
    struct laxity_crpd_shared *shared,
    const struct laxity_companion_ends *ends,
    const struct means *means
)
{
    struct laxity_crpd_order order;
    uint32_t cpu = NO_CPU;
    while (laxity_companion_take(ends, &order, sizeof order)) {
        if (order.cpu != cpu) {
            cpu = order.cpu;
            (void)laxity_probe_go_to(run, cpu); /* the victim has tried it */
        }
        if (order.wake_ns != 0) {
            (void)laxity_sleep_until(order.wake_ns);
        }
        const int64_t start_ns = laxity_now_ns();
        if (order.is_evicting) {
            evict(&order, means);
        }
        spin_until(start_ns + order.spin_ns);
        shared->ended_ns = laxity_now_ns();
        shared->preemptor_ns = shared->ended_ns - start_ns;
        atomic_fetch_add_explicit(&shared->done, 1, memory_order_release);
        if (!laxity_probe_is_in_place(run) ||
            (order.wake_ns == 0 && !laxity_companion_answer(ends))) {
            return;
        }
    }
}

/* What every size of buffer fits into. Returns 0, or -1 with error set. */
static int prepare_means(
    struct laxity_probe_run *run, const struct laxity_crpd_preemptor *preemptor, struct means *means
)
{
    const size_t bytes = preemptor->evict_bytes;
    unsigned char *buffer =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffer == MAP_FAILED) {
        return laxity_refuse(
            &run->shared->error,
            LAXITY_EXIT_LACKING,
            "crpd: no memory for %zu bytes that evict; lower --evict-size",
            bytes
        );
    }
    memset(buffer, 1, bytes);
    means->buffer = buffer;
    if (!preemptor->executes) {
        return 0;
    }
    const size_t blocks = (bytes + LAXITY_EVICT_BLOCK_BYTES - 1) / LAXITY_EVICT_BLOCK_BYTES;
    return laxity_crpd_make_code(
        LAXITY_CRPD_PATTERN_JUMPS,
        LAXITY_EVICT_BLOCK_BYTES,
        blocks,
        &means->code,
        &run->shared->error
    );
}

static int run_preemptor(
    struct laxity_probe_run *run, const void *what, const struct laxity_companion_ends *ends
)
{
    const struct laxity_crpd_preemptor *preemptor = what;
    struct means means = {0};
    if (prepare_means(run, preemptor, &means)) {
        return LAXITY_EXIT_LACKING;
    }
    if (laxity_companion_become_ready(run, ends)) {
        serve(run, preemptor->shared, ends, &means);
    }
    return LAXITY_EXIT_DONE;
}

int laxity_crpd_start_preemptor(
    struct laxity_probe_run *run, struct laxity_crpd_preemptor *preemptor
)
{
    if (laxity_companion_start(
            run, "the preemptor", run_preemptor, preemptor, &preemptor->companion
        )) {
        return -1;
    }
    if (!laxity_companion_await(&preemptor->companion)) {
        return laxity_refuse(
            &run->shared->error, LAXITY_EXIT_INTERNAL, "crpd: the preemptor did not become ready"
        );
    }
    return 0;
}

void laxity_crpd_stop_preemptor(struct laxity_crpd_preemptor *preemptor)
{
    laxity_companion_stop(&preemptor->companion);
}

int laxity_crpd_give_order(
    struct laxity_probe_run *run,
    const struct laxity_crpd_preemptor *preemptor,
    const struct laxity_crpd_order *order
)
{
    const struct laxity_companion *companion = &preemptor->companion;
    bool is_done = laxity_companion_order(companion, order, sizeof *order);
    if (is_done && order->wake_ns == 0) {
        is_done = laxity_companion_await(companion);
    }
    return is_done ? 0 : laxity_companion_tell_end(run, companion);
}

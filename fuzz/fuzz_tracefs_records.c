/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The texts of tracefs and a page of its ring: the formats, up to a 0 byte, then the page. */
#include "schema/streams.h"
#include "trace/trace.h"
#include "trace/tracefs_format.h"
#include "trace/tracefs_records.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    CPU = 1,
    INPUT_BYTES = 8192,
};

static const struct laxity_tracepoint_kind kinds[] = {
    {"sched", "sched_switch", LAXITY_TRACEPOINT_SWITCH, 0, {"prev_pid", "prev_state", "next_pid"}},
    {"task", "task_rename", LAXITY_TRACEPOINT_RENAME, 0, {"pid", "newcomm"}},
    {"irq", "irq_handler_entry", LAXITY_TRACEPOINT_IRQ_IN, 0, {"irq", "name"}},
    {"irq_vectors", "local_timer_entry", LAXITY_TRACEPOINT_VECTOR_IN, 0, {"vector"}},
    {"task", "task_newtask", LAXITY_TRACEPOINT_FORK, 0, {"pid", "clone_flags"}},
};

static void require(const bool holds)
{
    if (!holds) {
        abort();
    }
}

static void take_event(void *const context, const struct laxity_sched_event *const event)
{
    (void)context;
    require(event->cpu == CPU && (int)event->kind < (int)LAXITY_SCHED_KIND_COUNT);
    require((event->kind == LAXITY_SCHED_KIND_OFF) == (event->preempted != LAXITY_ABSENT_FLAG));
}

static void take_thread(void *const context, const struct laxity_thread_event *const event)
{
    (void)context;
    require(!event->comm || strlen(event->comm) < LAXITY_COMM_BYTES);
}

static void take_lost(void *const context, const int32_t cpu, const uint64_t n)
{
    uint64_t *const lost = context;
    require(cpu == CPU && n > 0);
    *lost += n;
}

static void take_vector(void *const context, const int64_t number, const char *const name)
{
    (void)context;
    (void)number;
    require(strlen(name) < LAXITY_VECTOR_NAME_BYTES);
}

/* NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* NOLINTNEXTLINE(readability-identifier-naming) */
int LLVMFuzzerTestOneInput(const uint8_t *const data, const size_t size)
{
    static struct laxity_tracefs_layout layout;
    char text[INPUT_BYTES + 1];
    const uint8_t *const end = size > 0 ? memchr(data, 0, size) : NULL;
    if (size > INPUT_BYTES || !end) {
        return -1;
    }
    memcpy(text, data, (size_t)(end - data) + 1);
    memset(&layout, 0, sizeof layout);
    if (laxity_tracefs_parse_page(text, &layout.page) != 0) {
        return -1;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        (void)laxity_tracefs_add(&layout, &kinds[i], text, kinds[i].name);
    }
    uint64_t lost = 0;
    uint64_t told = 0;
    const struct laxity_trace_sink sink = {
        .context = &lost,
        .on_event = take_event,
        .on_thread = take_thread,
        .on_lost = take_lost,
        .on_vector = take_vector,
    };
    const size_t rest = size - (size_t)(end - data) - 1;
    /* A page of its own, so that a read behind its end is seen. */
    unsigned char *const page = malloc(rest > 0 ? rest : 1);
    require(page != NULL);
    memcpy(page, end + 1, rest);
    (void)laxity_tracefs_page_parse(&layout, page, rest, CPU, &sink, &told);
    free(page);
    require(lost == told);
    return 0;
}

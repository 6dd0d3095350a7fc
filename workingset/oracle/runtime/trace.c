/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include "count.h"
#include "trace_words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 512 KiB: the file is written in pieces that cost no more than the copying. */
enum {
    BUFFERED_WORDS = 1 << 16
};

/* The program under trace must not be able to end like this by itself. */
enum {
    EXIT_TRACE_LOST = 99
};

static uint64_t buffer[BUFFERED_WORDS];
static size_t buffered_count;
static uint64_t written_count;
static int trace_fd = -1;
static int is_counting; /* nothing is written but how often what was executed */

/* A trace that is not whole proves nothing: the program ends at once, whatever it was doing. */
static void lose_trace(const char *what)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): the program has one thread */
    const char *why = strerror(errno);

    fprintf(stderr, "laxity-workingset-oracle: tracing the program: %s: %s\n", what, why);
    _exit(EXIT_TRACE_LOST);
}

static void open_trace(void)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): the program has one thread */
    const char *path = getenv("LAXITY_WORKINGSET_TRACE");

    if (!path) {
        errno = EINVAL;
        lose_trace("LAXITY_WORKINGSET_TRACE names no file; set it");
    }
    trace_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (trace_fd < 0) {
        lose_trace(path);
    }
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): as above */
    is_counting = getenv("LAXITY_WORKINGSET_COUNT_ONLY") != NULL;
    laxity_trace_end_with_program();
}

static void flush_words(void)
{
    const char *bytes = (const char *)buffer;
    size_t left_bytes;

    if (trace_fd < 0) {
        open_trace();
    }
    if (is_counting && laxity_count_segments(buffer, &buffered_count)) {
        errno = ENOMEM;
        lose_trace("counting");
    }
    left_bytes = buffered_count * sizeof(buffer[0]);
    while (left_bytes > 0) {
        ssize_t done_bytes = write(trace_fd, bytes, left_bytes);
        if (done_bytes < 0 && errno != EINTR) {
            lose_trace("write");
        }
        if (done_bytes > 0) {
            bytes += done_bytes;
            left_bytes -= (size_t)done_bytes;
        }
    }
    written_count += buffered_count;
    buffered_count = 0;
}

static void put(enum laxity_trace_tag tag, uint64_t payload)
{
    if (buffered_count == BUFFERED_WORDS || trace_fd < 0) {
        flush_words();
    }
    buffer[buffered_count++] =
        (uint64_t)tag << LAXITY_TRACE_TAG_SHIFT | (payload & LAXITY_TRACE_PAYLOAD);
}

static void put_count(uint64_t payload, uint64_t executions)
{
    put(LAXITY_TRACE_COUNT, executions);
    put(LAXITY_TRACE_SEGMENT, payload);
}

void laxity_trace_finish(void)
{
    static int is_finished;

    if (is_finished) {
        return;
    }
    is_finished = 1;
    if (is_counting) {
        flush_words();
        is_counting = 0; /* what follows is written as it is */
        laxity_count_tell(put_count);
    }
    put(LAXITY_TRACE_END, written_count + buffered_count);
    flush_words();
    if (close(trace_fd)) {
        lose_trace("close");
    }
}

void laxity_trace_access(const void *address)
{
    put(LAXITY_TRACE_ADDRESS, (uintptr_t)address);
}

void laxity_trace_alloca(
    uint32_t instruction, const void *address, uint64_t size_bytes, uint32_t is_constant
)
{
    (void)instruction; /* known from its place in the segment */
    if (!is_constant) {
        put(LAXITY_TRACE_SIZE, size_bytes);
    }
    put(LAXITY_TRACE_ADDRESS, (uintptr_t)address);
}

void laxity_trace_segment(uint32_t instruction, uint32_t context)
{
    put(LAXITY_TRACE_SEGMENT, (uint64_t)instruction << 32 | context);
    laxity_trace_step_device();
}

void laxity_trace_call(uint32_t instruction, uint32_t context)
{
    laxity_trace_segment(instruction, context);
    laxity_trace_set_site((struct laxity_trace_site){.instruction = instruction, .context = context}
    );
}

static void put_range(enum laxity_trace_tag tag, const void *address, uint64_t size_bytes)
{
    if (size_bytes > 0) {
        put(LAXITY_TRACE_SIZE, size_bytes);
        put(tag, (uintptr_t)address);
    }
}

void laxity_trace_read(const void *address, uint64_t size_bytes)
{
    put_range(LAXITY_TRACE_READ, address, size_bytes);
}

void laxity_trace_write(const void *address, uint64_t size_bytes)
{
    put_range(LAXITY_TRACE_WRITE, address, size_bytes);
}

void laxity_trace_forget(const void *address, uint64_t size_bytes)
{
    put_range(LAXITY_TRACE_FORGET, address, size_bytes);
}

void laxity_trace_birth(uint32_t kind, uint32_t index, const void *address, uint64_t size_bytes)
{
    if (size_bytes > 0) {
        put(LAXITY_TRACE_OBJECT, (uint64_t)kind << 32 | index);
        put_range(LAXITY_TRACE_BIRTH, address, size_bytes);
    }
}

void laxity_trace_allocate(const void *address, uint64_t size_bytes)
{
    if (address) {
        laxity_trace_birth(
            LAXITY_TRACE_INSTRUCTION, laxity_trace_current_site().instruction, address, size_bytes
        );
    }
}

void laxity_trace_new_context(uint32_t parent, uint32_t site, uint32_t function)
{
    put(LAXITY_TRACE_SITE, site);
    put(LAXITY_TRACE_CONTEXT, (uint64_t)function << 32 | parent);
}

void laxity_trace_recursion(uint32_t context, uint32_t parent, uint32_t site)
{
    put(LAXITY_TRACE_SITE, site);
    put(LAXITY_TRACE_RECURSION, (uint64_t)context << 32 | parent);
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/perf_ring.h"

#include "base/port/perf_event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* PERF_FORMAT_LOST of Linux 6.0; older kernels refuse it with EINVAL. */
static const uint64_t format_lost = 1U << 4;

static struct perf_event_attr switch_attributes(void)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(struct perf_event_attr),
        .config = PERF_COUNT_SW_DUMMY,
        /* The parser takes the end of each record by this (native/trace/perf_records.c). */
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
        .sample_id_all = 1,
        .read_format = format_lost,
        .disabled = 1,
        .context_switch = 1,
        .task = 1,
        .comm = 1,
        .comm_exec = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        /* Nobody waits for the ring: it is looked at by the clock, which costs the CPU nothing. */
        .watermark = 1,
        .wakeup_watermark = UINT32_MAX,
    };
}

int laxity_perf_ring_open(int cpu, uint64_t data_bytes, struct laxity_perf_ring *out_ring)
{
    struct perf_event_attr attr = switch_attributes();
    int fd = laxity_perf_open(&attr, cpu, LAXITY_PERF_NO_GROUP);
    if (fd == -EINVAL) {
        attr.read_format = 0;
        fd = laxity_perf_open(&attr, cpu, LAXITY_PERF_NO_GROUP);
    }
    if (fd < 0) {
        return fd;
    }
    const int rc = laxity_perf_ring_map(fd, data_bytes, out_ring);
    if (rc) {
        laxity_perf_close(fd);
    }
    return rc;
}

int laxity_perf_ring_map(int fd, uint64_t data_bytes, struct laxity_perf_ring *out_ring)
{
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    const size_t mapped_bytes = page_bytes + (size_t)data_bytes;
    void *page = mmap(NULL, mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
        return -errno;
    }
    *out_ring = (struct laxity_perf_ring){
        .fd = fd,
        .echo_fd = -1,
        .page = page,
        .mapped_bytes = mapped_bytes,
        .data = (const unsigned char *)page + page_bytes,
        .data_bytes = data_bytes,
    };
    return 0;
}

int laxity_perf_ring_echo(struct laxity_perf_ring *ring, int cpu)
{
    struct perf_event_attr attr = switch_attributes();
    attr.read_format = 0;
    const int fd = laxity_perf_open(&attr, cpu, LAXITY_PERF_NO_GROUP);
    if (fd < 0) {
        return fd;
    }
    if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd)) {
        const int rc = -errno;
        (void)close(fd);
        return rc;
    }
    ring->echo_fd = fd;
    return 0;
}

int laxity_perf_ring_start(const struct laxity_perf_ring *ring)
{
    const int rc = laxity_perf_start(ring->fd);
    const int echo_rc = ring->echo_fd < 0 ? 0 : laxity_perf_start(ring->echo_fd);
    return rc ? rc : echo_rc;
}

int laxity_perf_ring_stop(const struct laxity_perf_ring *ring)
{
    const int rc = laxity_perf_stop(ring->fd);
    const int echo_rc = ring->echo_fd < 0 ? 0 : laxity_perf_stop(ring->echo_fd);
    return rc ? rc : echo_rc;
}

/*
 * The kernel's 64-bit head is two stores on a 32-bit processor. Read until twice the same: halves
 * of two values would have to be met twice in a row.
 */
uint64_t laxity_perf_ring_head(const struct laxity_perf_ring *ring)
{
    const volatile struct perf_event_mmap_page *page = ring->page;
    uint64_t head = page->data_head;
    uint64_t again = page->data_head;
    while (again != head) {
        head = again;
        again = page->data_head;
    }
    atomic_thread_fence(memory_order_acquire);
    return head;
}

void laxity_perf_ring_release(struct laxity_perf_ring *ring)
{
    volatile struct perf_event_mmap_page *page = ring->page;
    atomic_thread_fence(memory_order_seq_cst);
    page->data_tail = ring->tail;
}

int laxity_perf_ring_lost(const struct laxity_perf_ring *ring, uint64_t *out_lost)
{
    uint64_t values[2] = {0}; /* value, lost */
    const ssize_t got = read(ring->fd, values, sizeof values);
    if (got < 0) {
        return -errno;
    }
    if (got != (ssize_t)sizeof values) {
        return -ENOTSUP;
    }
    *out_lost = values[1];
    return 0;
}

void laxity_perf_ring_close(struct laxity_perf_ring *ring)
{
    if (ring->page) {
        (void)munmap(ring->page, ring->mapped_bytes);
        (void)close(ring->fd);
        if (ring->echo_fd >= 0) {
            (void)close(ring->echo_fd);
        }
    }
    *ring = (struct laxity_perf_ring){.fd = -1, .echo_fd = -1};
}

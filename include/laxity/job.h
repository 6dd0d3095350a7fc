/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Jobs of a program that keeps its own main() and its own periodic loop: it says where a job starts
 * and finishes, `laxity run` with `program` in its [[task]] records them. Nothing to link with.
 *
 *   laxity_job_start()           a job starts now; when it was released is not known
 *   laxity_job_start_at(TIME)    a job starts now; the program's own release of it was due at TIME,
 *                                nanoseconds of CLOCK_MONOTONIC
 *   laxity_job_finish()          the job has finished
 *
 * One thread of the program makes jobs, one after the other. A job that is started while another
 * one runs takes that one's place, whose record is dropped and counted; a finish without a start
 * does nothing. Nothing blocks and nothing allocates: a record that finds no room is lost and
 * counted. Without a collector each call is one load and a branch (the first one looks for it).
 *
 * C11 or C++11, on the C library of Linux. A strict standard (-std=c11) needs _POSIX_C_SOURCE
 * 199309L or later before the first include, as the program's own timers do.
 */
#ifndef LAXITY_JOB_H
#define LAXITY_JOB_H

#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef CLOCK_MONOTONIC
#error "laxity/job.h: no CLOCK_MONOTONIC; define _POSIX_C_SOURCE 199309L before the first include"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(_GNU_SOURCE) && !defined(__cplusplus)
/* The C library has them, and hides them from a program that keeps to a standard. */
int sched_getcpu(void);
long syscall(long number, ...);
#endif

/*
 * What program and collector share. A stable interface: a program is built once, laxity may be
 * another version when it runs it. All is in the byte order of the machine; what both sides use at
 * once are 32-bit counters, which wrap.
 */
#define LAXITY_JOB_COLLECTOR "LAXITY_JOB_COLLECTOR" /* environment: "DESCRIPTOR,OFFSET" */
#define LAXITY_JOB_MAGIC 0x4c584a42u                /* "LXJB" */
#define LAXITY_JOB_VERSION 1u
#define LAXITY_JOB_SLOTS 4096u        /* a power of two */
#define LAXITY_JOB_HAS_CPU_TIME 1u    /* flag: the processor time is wanted */
#define LAXITY_JOB_ABSENT (INT64_MIN) /* a time that is not known */

struct laxity_own_job {
    uint64_t job; /* number of the start, from 0: a hole means lost or dropped records */
    int64_t release_ns;
    int64_t start_ns;
    int64_t finish_ns;
    int64_t exec_ns; /* of the thread, from before the start to after the finish */
    int32_t tid;
    int32_t cpu_start;
    int32_t cpu_finish;
    int32_t reserved;
};

struct laxity_job_ring {
    /* Writer: the collector, before the program runs. */
    uint32_t magic;
    uint32_t version;
    uint32_t ring_bytes;
    uint32_t flags;
    /* Writer: the collector. Records taken out. */
    uint32_t tail;
    uint32_t reserved[11];
    /* Writer: the program. */
    uint32_t program_version; /* 0 = the program has not looked for a collector */
    uint32_t program_pid;
    uint32_t head;       /* records complete */
    uint32_t lost;       /* jobs without a record: the ring was full */
    uint32_t unfinished; /* jobs without a record: another one started before their finish */
    uint32_t starts;     /* changes before what stands in `current` does */
    uint32_t is_running; /* `current` is a job that has started */
    uint32_t program_reserved;
    uint64_t next_job;
    int64_t start_exec_ns;
    struct laxity_own_job current;
    uint32_t program_reserved_too[2];
    struct laxity_own_job records[LAXITY_JOB_SLOTS];
};

/* One for the whole program, however many of its files include this one. */
enum laxity_job_mode {
    LAXITY_JOB_UNKNOWN,
    LAXITY_JOB_NO_COLLECTOR,
    LAXITY_JOB_COLLECTED
};
struct laxity_job_state {
    int mode;
    int32_t tid;
    struct laxity_job_ring *ring;
};
__attribute__((weak)) struct laxity_job_state laxity_job_state = {LAXITY_JOB_UNKNOWN, 0, NULL};

static inline int64_t laxity_job_clock_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Joins the ring if it is one of ours and no other process has joined it. */
static inline int laxity_job_join(struct laxity_job_ring *ring, uint32_t pid)
{
    uint32_t nobody = 0;
    if (ring->magic != LAXITY_JOB_MAGIC) {
        return 0;
    }
    __atomic_store_n(&ring->program_version, LAXITY_JOB_VERSION, __ATOMIC_RELAXED);
    if (ring->version != LAXITY_JOB_VERSION ||
        ring->ring_bytes != (uint32_t)sizeof(struct laxity_job_ring)) {
        return 0;
    }
    return __atomic_compare_exchange_n(
        &ring->program_pid, &nobody, pid, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED
    );
}

/* The first call of a program: is there a collector? */
static inline void laxity_job_look(void)
{
    const char *where = getenv(LAXITY_JOB_COLLECTOR); /* NOLINT(concurrency-mt-unsafe): once */
    char *comma = NULL;
    int fd = -1;
    long offset = 0;
    int flags = MAP_SHARED;
    void *base = MAP_FAILED;
    laxity_job_state.mode = LAXITY_JOB_NO_COLLECTOR;
    if (!where) {
        return;
    }
    fd = (int)strtol(where, &comma, 10);
    if (*comma != ',') {
        return;
    }
    offset = strtol(comma + 1, NULL, 10);
#ifdef MAP_POPULATE
    flags |= MAP_POPULATE; /* no page fault in a job */
#endif
    base = mmap(
        NULL, sizeof(struct laxity_job_ring), PROT_READ | PROT_WRITE, flags, fd, (off_t)offset
    );
    if (base == MAP_FAILED) {
        return;
    }
    /* Programs that this one starts need it no more. */
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (!laxity_job_join((struct laxity_job_ring *)base, (uint32_t)getpid())) {
        (void)munmap(base, sizeof(struct laxity_job_ring));
        return;
    }
    laxity_job_state.ring = (struct laxity_job_ring *)base;
    laxity_job_state.tid = (int32_t)syscall(SYS_gettid);
    laxity_job_state.mode = LAXITY_JOB_COLLECTED;
}

static inline void laxity_job_record_start(struct laxity_job_ring *ring, int64_t release_ns)
{
    struct laxity_own_job *job = &ring->current;
    if (ring->is_running) {
        __atomic_store_n(&ring->unfinished, ring->unfinished + 1, __ATOMIC_RELAXED);
        __atomic_store_n(&ring->is_running, 0, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&ring->starts, ring->starts + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    job->job = ring->next_job++;
    job->release_ns = release_ns;
    job->tid = laxity_job_state.tid;
    job->cpu_start = sched_getcpu();
    if (ring->flags & LAXITY_JOB_HAS_CPU_TIME) {
        ring->start_exec_ns = laxity_job_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    }
    /* Last, so that as little as possible counts in the job. */
    job->start_ns = laxity_job_clock_ns(CLOCK_MONOTONIC);
    __atomic_store_n(&ring->is_running, 1, __ATOMIC_RELEASE);
}

static inline void laxity_job_record_finish(struct laxity_job_ring *ring)
{
    const int64_t finish_ns = laxity_job_clock_ns(CLOCK_MONOTONIC);
    struct laxity_own_job *job = &ring->current;
    const uint32_t head = ring->head;
    if (!ring->is_running) {
        return;
    }
    job->finish_ns = finish_ns;
    job->exec_ns = LAXITY_JOB_ABSENT;
    if (ring->flags & LAXITY_JOB_HAS_CPU_TIME) {
        job->exec_ns = laxity_job_clock_ns(CLOCK_THREAD_CPUTIME_ID) - ring->start_exec_ns;
    }
    job->cpu_finish = sched_getcpu();
    if (head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) >= LAXITY_JOB_SLOTS) {
        __atomic_store_n(&ring->lost, ring->lost + 1, __ATOMIC_RELAXED);
    } else {
        ring->records[head & (LAXITY_JOB_SLOTS - 1)] = *job;
        __atomic_store_n(&ring->head, head + 1, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&ring->is_running, 0, __ATOMIC_RELEASE);
}

static inline void laxity_job_start_at(int64_t release_ns)
{
    if (laxity_job_state.mode == LAXITY_JOB_NO_COLLECTOR) {
        return;
    }
    if (laxity_job_state.mode == LAXITY_JOB_UNKNOWN) {
        laxity_job_look();
    }
    if (laxity_job_state.ring) {
        laxity_job_record_start(laxity_job_state.ring, release_ns);
    }
}

static inline void laxity_job_start(void)
{
    laxity_job_start_at(LAXITY_JOB_ABSENT);
}

static inline void laxity_job_finish(void)
{
    if (laxity_job_state.ring) {
        laxity_job_record_finish(laxity_job_state.ring);
    }
}

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/interfering.h"

#include "base/error.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "probes/crpd_patterns.h"
#include "probes/probe.h"
#include "probes/working_set.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    WAITING = 0,
    ENDING = 1,
    COMPUTING = 2, /* what is larger is a working set, of so many bytes and COMPUTING */
    /* No task's count shares a line, or a pair of them, with another's. */
    COUNT_BYTES = 128,
    LOOK_NS = LAXITY_NS_PER_MS,
};

/* 32-bit counts, which every instruction set changes at once; read as differences. */
struct count {
    _Alignas(COUNT_BYTES) atomic_uint passes;
};

struct laxity_interfering_shared {
    _Alignas(COUNT_BYTES) atomic_ulong use;
    struct count counts[];
};

__attribute__((noinline)) uint32_t laxity_count_primes(uint32_t limit)
{
    uint32_t primes = 0;
    for (uint32_t number = 2; number < limit; number++) {
        uint32_t divisor = 2;
        while (divisor * divisor <= number && number % divisor != 0) {
            divisor++;
        }
        primes += divisor * divisor > number;
    }
    return primes;
}

static void
interfere(struct laxity_interfering_shared *shared, size_t at, unsigned char *working_set)
{
    for (;;) {
        const unsigned long use = atomic_load_explicit(&shared->use, memory_order_relaxed);
        if (use == ENDING) {
            return;
        }
        if (use == WAITING) {
            laxity_pause_ns(LOOK_NS);
            continue;
        }
        if (use == COMPUTING) {
            volatile uint32_t primes = laxity_count_primes(LAXITY_INTERFERING_PRIMES_BELOW);
            (void)primes;
        } else {
            laxity_crpd_walk(working_set, use - COMPUTING);
        }
        atomic_fetch_add_explicit(&shared->counts[at].passes, 1, memory_order_relaxed);
    }
}

static _Noreturn void
run_task(struct laxity_interfering_shared *shared, size_t at, uint32_t cpu, size_t largest)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* There first: it is touched where it will be used. */
    unsigned char *working_set = laxity_go_to_cpu(cpu) == 0 ? laxity_map_inherited(largest) : NULL;
    if (!working_set) {
        _exit(LAXITY_EXIT_LACKING);
    }
    interfere(shared, at, working_set);
    _exit(LAXITY_EXIT_DONE);
}

int laxity_interfering_start(
    struct laxity_probe_run *run,
    const uint32_t *cpus,
    size_t n_cpus,
    size_t largest,
    struct laxity_interfering *interfering
)
{
    const size_t bytes = sizeof *interfering->shared + n_cpus * sizeof(struct count);
    void *base = laxity_map_inherited(bytes);
    interfering->pids = calloc(n_cpus + 1, sizeof *interfering->pids);
    if (!base || !interfering->pids) {
        return laxity_refuse(&run->shared->error, LAXITY_EXIT_LACKING, "migration_jobs: no memory");
    }
    interfering->shared = base;
    interfering->shared_bytes = bytes;
    for (size_t at = 0; at < n_cpus; at++) {
        const pid_t pid = fork();
        if (pid == 0) {
            run_task(interfering->shared, at, cpus[at], largest);
        }
        if (pid < 0) {
            return laxity_refuse(
                &run->shared->error,
                LAXITY_EXIT_LACKING,
                "migration_jobs: cannot start an interfering task: %s; raise ulimit -u",
                strerrordesc_np(errno)
            );
        }
        interfering->pids[interfering->n++] = pid;
    }
    return 0;
}

void laxity_interfering_use(struct laxity_interfering *interfering, size_t bytes)
{
    atomic_store_explicit(&interfering->shared->use, bytes + COMPUTING, memory_order_relaxed);
}

uint32_t laxity_interfering_passes(const struct laxity_interfering *interfering, size_t at)
{
    return atomic_load_explicit(&interfering->shared->counts[at].passes, memory_order_relaxed);
}

void laxity_interfering_stop(struct laxity_interfering *interfering)
{
    if (interfering->shared) {
        atomic_store_explicit(&interfering->shared->use, ENDING, memory_order_relaxed);
    }
    for (size_t i = 0; i < interfering->n; i++) {
        (void)waitpid(interfering->pids[i], NULL, 0);
    }
    if (interfering->shared) {
        (void)munmap(interfering->shared, interfering->shared_bytes);
    }
    free(interfering->pids);
    *interfering = (struct laxity_interfering){0};
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * cpu [LIMIT_A LIMIT_B]: counts the primes up to two limits in turn, one limit per job, by trial
 * division.
 *
 * Touches next to no memory, so that its times show the processor and the interruptions only; the
 * two limits give two clusters of execution times. Source: Raffeck et al., "Migration overheads",
 * section III and Figure 8 (CPU).
 */
#include "../common/arguments.h"
#include "../common/outcome.h"

#include <laxity/hooks.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LIMIT_COUNT = 2,
    /* Jobs of about 50 us and 120 us on a 2.5 GHz server core: well below the usual shortest
     * period, 1 ms.
     */
    DEFAULT_LIMIT_A = 2000,
    DEFAULT_LIMIT_B = 4000,
    /* Keeps the sieve of init at 10 MB, and a job within seconds. */
    HIGHEST_LIMIT = 10000000
};

static struct {
    uint32_t limits[LIMIT_COUNT];
    uint32_t expected_counts[LIMIT_COUNT];
    unsigned turn; /* index of the limit of the next job */
} cpu;

/*
 * The measured loop. Do not add memory accesses, a table of primes, a wheel or any early exit: the
 * job's time must depend on the limit alone. Not inlined, so that the compiler cannot know the
 * limit.
 */
__attribute__((noinline)) static uint32_t count_primes(const uint32_t limit)
{
    uint32_t count = 0;

    for (uint32_t candidate = 2; candidate <= limit; candidate++) {
        uint32_t divisor = 2;

        /* The square fits: candidate <= HIGHEST_LIMIT, and the divisor stops one above its root. */
        while (divisor * divisor <= candidate && candidate % divisor != 0) {
            divisor++;
        }
        count += divisor * divisor > candidate;
    }
    return count;
}

/* The same count by the sieve of Eratosthenes: no line in common with the loop that it checks. */
static int sieve_prime_count(const uint32_t limit, uint32_t *const out_count)
{
    uint8_t *const is_composite = calloc((size_t)limit + 1, sizeof *is_composite);
    uint32_t count = 0;

    if (is_composite == NULL) {
        (void
        )fputs("cpu: checking the limits: no memory for the sieve; use lower limits\n", stderr);
        return -1;
    }
    for (uint32_t prime = 2; prime <= limit; prime++) {
        if (is_composite[prime] != 0) {
            continue;
        }
        count++;
        for (uint64_t multiple = (uint64_t)prime * prime; multiple <= limit; multiple += prime) {
            is_composite[multiple] = 1;
        }
    }
    free(is_composite);
    *out_count = count;
    return 0;
}

static int read_limits(const int argc, void **const argv)
{
    static const char *const names[LIMIT_COUNT] = {"LIMIT_A", "LIMIT_B"};

    if (argc == 1) {
        (void)fprintf(
            stderr,
            "cpu: takes two limits or none, got \"%s\" alone; add LIMIT_B\n",
            (const char *)argv[0]
        );
        return -1;
    }
    for (int i = 0; i < argc; i++) {
        const struct workload_count rule = {"cpu", names[i], 2, HIGHEST_LIMIT};
        uint64_t limit;

        if (workload_parse_count(&rule, argv[i], &limit) != 0) {
            return -1;
        }
        cpu.limits[i] = (uint32_t)limit;
    }
    return 0;
}

int benchmark_init(const int argc, void **const argv)
{
    cpu.limits[0] = DEFAULT_LIMIT_A;
    cpu.limits[1] = DEFAULT_LIMIT_B;
    cpu.turn = 0;
    if (workload_check_word_count(
            "cpu", "[LIMIT_A LIMIT_B]", argc, argv, (const int[2]){0, LIMIT_COUNT}
        ) != 0 ||
        read_limits(argc, argv) != 0) {
        return -1;
    }
    for (int i = 0; i < LIMIT_COUNT; i++) {
        if (sieve_prime_count(cpu.limits[i], &cpu.expected_counts[i]) != 0) {
            return -1;
        }
    }
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    const unsigned turn = cpu.turn;
    const uint32_t count = count_primes(cpu.limits[turn]);

    (void)argc;
    (void)argv;
    if (count != cpu.expected_counts[turn]) {
        workload_fail_job(
            "cpu",
            "counted %" PRIu32 " primes up to %" PRIu32 ", there are %" PRIu32,
            count,
            cpu.limits[turn],
            cpu.expected_counts[turn]
        );
    }
    cpu.turn = (turn + 1) % LIMIT_COUNT;
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
}

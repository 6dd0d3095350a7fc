/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * parallel small|large [THREADS]: multiplies two matrices, each thread a part of the rows; every
 * job forks to the threads that init made and joins them.
 *
 * Elements are 32 bits and wrap, so the product, and its digest, is the same for any number of
 * threads. Checked per job: the product times a random vector, against the two factors times it
 * (Freivalds, "Probabilistic machines can use less running time", IFIP Congress 1977).
 */
#include "../common/arguments.h"
#include "../common/digest.h"
#include "../common/outcome.h"
#include "../common/random.h"

#include <laxity/hooks.h>

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_ROWS = 48,
    LARGE_ROWS = 320,
    DEFAULT_THREADS = 2,
    THREADS_MAX = 64
};

static const struct workload_sizes sizes = {"parallel", SMALL_ROWS, LARGE_ROWS};
static const struct workload_count thread_rule = {"parallel", "THREADS", 1, THREADS_MAX};

struct worker {
    pthread_t thread;
    unsigned number; /* from 0, the main thread */
};

static struct {
    struct workload_outcome outcome;
    size_t rows;
    uint32_t *left;
    uint32_t *right;
    uint32_t *product;
    uint32_t *vector;  /* random */
    uint32_t *by_hand; /* left * (right * vector) */
    uint32_t *partial;
    pthread_barrier_t fork;
    pthread_barrier_t join;
    struct worker workers[THREADS_MAX];
    unsigned thread_count;
    unsigned started_count; /* threads that exist, the main one included */
    bool is_over;           /* written before a fork, read behind it */
} parallel;

/* Every thread_count-th row: parts of equal size, but for one row. */
static void multiply_part(const unsigned number)
{
    const size_t n = parallel.rows;

    for (size_t row = number; row < n; row += parallel.thread_count) {
        uint32_t *const out = &parallel.product[row * n];

        memset(out, 0, n * sizeof *out);
        for (size_t k = 0; k < n; k++) {
            const uint32_t factor = parallel.left[row * n + k];
            const uint32_t *const other = &parallel.right[k * n];

            for (size_t column = 0; column < n; column++) {
                out[column] += factor * other[column];
            }
        }
    }
}

static void *work(void *const argument)
{
    const struct worker *const worker = argument;

    for (;;) {
        (void)pthread_barrier_wait(&parallel.fork);
        if (parallel.is_over) {
            return NULL;
        }
        multiply_part(worker->number);
        (void)pthread_barrier_wait(&parallel.join);
    }
}

static void multiply_vector(
    const uint32_t *const matrix, const uint32_t *const vector, uint32_t *const out_product
)
{
    const size_t n = parallel.rows;

    for (size_t row = 0; row < n; row++) {
        uint32_t sum = 0;

        for (size_t column = 0; column < n; column++) {
            sum += matrix[row * n + column] * vector[column];
        }
        out_product[row] = sum;
    }
}

static uint32_t check_product(void)
{
    uint32_t digest = WORKLOAD_DIGEST_START;

    multiply_vector(parallel.product, parallel.vector, parallel.partial);
    for (size_t row = 0; row < parallel.rows; row++) {
        if (parallel.partial[row] != parallel.by_hand[row]) {
            workload_fail_job(
                "parallel", "row %zu of the product does not agree with its factors", row
            );
        }
    }
    for (size_t i = 0; i < parallel.rows * parallel.rows; i++) {
        digest = workload_fold_word(digest, parallel.product[i]);
    }
    return digest;
}

static int start_threads(void)
{
    for (unsigned i = 1; i < parallel.thread_count; i++) {
        struct worker *const worker = &parallel.workers[i];

        worker->number = i;
        const int status = pthread_create(&worker->thread, NULL, work, worker);

        if (status != 0) {
            (void)fprintf(
                stderr,
                "parallel: cannot make thread %u: %s; choose fewer\n",
                i + 1,
                strerrordesc_np(status)
            );
            return -status;
        }
        parallel.started_count++;
    }
    return 0;
}

static int make_matrices(uint64_t state)
{
    const size_t n = parallel.rows;

    parallel.left = workload_allocate("parallel", (3 * n + 3) * n * sizeof *parallel.left);
    if (parallel.left == NULL) {
        return -ENOMEM;
    }
    parallel.right = parallel.left + n * n;
    parallel.product = parallel.right + n * n;
    parallel.vector = parallel.product + n * n;
    parallel.by_hand = parallel.vector + n;
    parallel.partial = parallel.by_hand + n;
    for (size_t i = 0; i < 2 * n * n; i++) {
        parallel.left[i] = (uint32_t)workload_next_random(&state);
    }
    for (size_t i = 0; i < n; i++) {
        parallel.vector[i] = (uint32_t)workload_next_random(&state);
    }
    multiply_vector(parallel.right, parallel.vector, parallel.partial);
    multiply_vector(parallel.left, parallel.partial, parallel.by_hand);
    return 0;
}

int benchmark_init(const int argc, void **const argv)
{
    const int bounds[2] = {1, 2};
    uint64_t thread_count = DEFAULT_THREADS;
    uint64_t seed;
    int status = workload_check_word_count("parallel", "small|large [THREADS]", argc, argv, bounds);

    if (status == 0 && argc > 1) {
        status = workload_parse_count(&thread_rule, argv[1], &thread_count);
    }
    if (status != 0 ||
        workload_begin(&sizes, 1, argv, &parallel.outcome, &parallel.rows, &seed) != 0 ||
        make_matrices(seed) != 0) {
        return -1;
    }
    parallel.thread_count = (unsigned)thread_count;
    parallel.started_count = 1;
    parallel.is_over = false;
    /* NULL attributes and a count above 0: neither can fail. */
    (void)pthread_barrier_init(&parallel.fork, NULL, parallel.thread_count);
    (void)pthread_barrier_init(&parallel.join, NULL, parallel.thread_count);
    return start_threads();
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    (void)pthread_barrier_wait(&parallel.fork);
    multiply_part(0);
    (void)pthread_barrier_wait(&parallel.join);
    workload_check_digest(&parallel.outcome, check_product());
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    parallel.is_over = true;
    (void)pthread_barrier_wait(&parallel.fork);
    for (unsigned i = 1; i < parallel.started_count; i++) {
        (void)pthread_join(parallel.workers[i].thread, NULL);
    }
    (void)pthread_barrier_destroy(&parallel.fork);
    (void)pthread_barrier_destroy(&parallel.join);
    workload_print_outcome(&parallel.outcome);
    free(parallel.left);
    parallel.left = NULL;
}

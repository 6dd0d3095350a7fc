/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A workload that marks, for the tests of the harness: `marker MODE`.
 *
 *   jobs     per job: phase 1, probe 7 with the job's number, phase 300, phase 2
 *   flood    per job: 50,000 probes in a row, more than the ring holds
 *   train    per job: 1000 phases and 1000 probes in a row, for bench/mark_cost.py
 *   threads  per job: a second thread marks 100 probes beside the first one's 100
 *   around   one phase in init and one in teardown
 */
#include <laxity/hooks.h>
#include <laxity/marks.h>

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    FLOOD_MARKS = 50000,
    MARKS_PER_THREAD = 100,
    TRAIN_MARKS = 1000,
    WIDE_ID = 300
};

static const char *mode;
static int64_t job;

static void mark_job(void)
{
    laxity_phase(1);
    laxity_probe(7, job);
    laxity_phase(WIDE_ID);
    laxity_phase(2);
}

static void flood(void)
{
    for (int64_t i = 0; i < FLOOD_MARKS; i++) {
        laxity_probe(1, i);
    }
}

static void mark_train(void)
{
    for (int64_t i = 0; i < TRAIN_MARKS; i++) {
        laxity_phase(1);
    }
    for (int64_t i = 0; i < TRAIN_MARKS; i++) {
        laxity_probe(1, i);
    }
}

static void *mark_beside(void *id)
{
    for (int64_t i = 0; i < MARKS_PER_THREAD; i++) {
        laxity_probe(*(const uint32_t *)id, i);
    }
    return NULL;
}

static void mark_in_two_threads(void)
{
    uint32_t ids[] = {10, 11};
    pthread_t second;
    if (pthread_create(&second, NULL, mark_beside, &ids[1]) != 0) {
        laxity_job_failed("no second thread");
    }
    (void)mark_beside(&ids[0]);
    (void)pthread_join(second, NULL);
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"jobs", mark_job},
    {"flood", flood},
    {"train", mark_train},
    {"threads", mark_in_two_threads},
};

int benchmark_init(int argc, void **argv)
{
    mode = argc > 0 ? argv[0] : "jobs";
    if (strcmp(mode, "around") == 0) {
        laxity_phase(1);
    }
    return 0;
}

void benchmark_execution(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(mode, modes[i].name) == 0) {
            modes[i].run();
        }
    }
    job++;
}

void benchmark_teardown(int argc, void **argv)
{
    (void)argc;
    (void)argv;
    if (strcmp(mode, "around") == 0) {
        laxity_phase(2);
    }
    (void)printf("marked in %lld jobs\n", (long long)job);
}

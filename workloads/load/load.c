/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * load [SIZE [READS [DELAY [PAUSE [GROUPS]]]]]: loads the memory, a pass through SIZE bytes [4MiB]
 * per job.
 *
 * Of each 10 lines of 32 bytes the first 10 - READS [0] are written, the others read; DELAY [0]
 * turns of a wait loop follow. What is left after the last 10 lines is not touched. After each
 * GROUPS [100] times 10 lines, in one job or in several, come PAUSE [0] turns. SIZE should be much
 * larger than the caches. Source: Blin et al., "Maximizing parallelism without exploding
 * deadlines in a mixed criticality embedded system", figure 4.
 */
#include "../common/arguments.h"
#include "../common/outcome.h"

#include <laxity/hooks.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    GROUP_LINES = 10,
    LINE_WORDS = 4,
    GROUP_WORDS = GROUP_LINES * LINE_WORDS,
    WORD_BYTES = sizeof(uint64_t),
    GROUP_BYTES = GROUP_WORDS * WORD_BYTES,
    PRESET_BYTES = 4 << 20,
    HIGHEST_DELAY = 1000000,
    HIGHEST_PAUSE = 1000000000,
    PRESET_GROUPS = 100
};

static struct {
    uint64_t *words;
    size_t group_count;
    uint64_t reads; /* lines of a group */
    uint64_t delay; /* turns behind a group */
    uint64_t pause; /* turns after `burst` groups; 0: none */
    uint64_t burst; /* at least 1 */
    uint64_t until_pause;
    uint64_t job_number; /* of the job that runs or ran last, from 1; written lines hold it */
} load;

/*
 * The measured loops. Do not add anything: nothing else may touch memory. Volatile, so that the
 * compiler keeps every access, 8 bytes each as in the source.
 */
static inline void write_line(volatile uint64_t *const line, const uint64_t value)
{
    line[0] = value;
    line[1] = value;
    line[2] = value;
    line[3] = value;
}

static inline void read_line(const volatile uint64_t *const line)
{
    (void)line[0];
    (void)line[1];
    (void)line[2];
    (void)line[3];
}

/* Two additions per turn, as in the source. */
static inline void wait_turns(uint64_t turns)
{
    uintptr_t first = 0;
    uintptr_t second = 0;

    for (uintptr_t left = (uintptr_t)turns; left > 0; left--) {
        first++;
        second++;
        __asm__ volatile("" : "+r"(first), "+r"(second));
    }
}

static inline void
make_groups(volatile uint64_t *line, const size_t group_count, const uint64_t value)
{
    const unsigned reads = (unsigned)load.reads;
    const unsigned writes = GROUP_LINES - reads;
    const uint64_t delay = load.delay;

    for (size_t groups = group_count; groups > 0; groups--) {
        for (unsigned left = writes; left > 0; left--, line += LINE_WORDS) {
            write_line(line, value);
        }
        for (unsigned left = reads; left > 0; left--, line += LINE_WORDS) {
            read_line(line);
        }
        wait_turns(delay);
    }
}

__attribute__((noinline)) static void make_pass(const uint64_t value)
{
    make_groups(load.words, load.group_count, value);
}

__attribute__((noinline)) static void make_bursts(const uint64_t value)
{
    size_t done = 0;

    while (done < load.group_count) {
        const size_t left = load.group_count - done;
        const size_t groups = left < load.until_pause ? left : (size_t)load.until_pause;
        make_groups(&load.words[done * GROUP_WORDS], groups, value);
        done += groups;
        load.until_pause -= groups;
        if (load.until_pause == 0) {
            wait_turns(load.pause);
            load.until_pause = load.burst;
        }
    }
}

/* Lines that are written hold the number of the job, the others what init has put there: 0. */
static void check_group(const size_t group)
{
    const uint64_t *const words = &load.words[group * GROUP_WORDS];
    const size_t written = (size_t)(GROUP_LINES - load.reads) * LINE_WORDS;

    for (size_t i = 0; i < GROUP_WORDS; i++) {
        const uint64_t expected = i < written ? load.job_number : 0;
        if (words[i] != expected) {
            workload_fail_job(
                "load",
                "word %zu of the buffer is %" PRIu64 ", expected %" PRIu64,
                group * GROUP_WORDS + i,
                words[i],
                expected
            );
        }
    }
}

int benchmark_init(const int argc, void **const argv)
{
    const struct workload_size size_rule = {"load", GROUP_BYTES, WORKLOAD_LINE_BYTES};
    const struct workload_count reads_rule = {"load", "READS", 0, GROUP_LINES};
    const struct workload_count delay_rule = {"load", "DELAY", 0, HIGHEST_DELAY};
    const struct workload_count pause_rule = {"load", "PAUSE", 0, HIGHEST_PAUSE};
    const struct workload_count groups_rule = {"load", "GROUPS", 1, HIGHEST_DELAY};
    size_t size_bytes = PRESET_BYTES;

    load.reads = 0;
    load.delay = 0;
    load.pause = 0;
    load.burst = PRESET_GROUPS;
    load.job_number = 0;
    if (workload_check_word_count(
            "load", "[SIZE [READS [DELAY [PAUSE [GROUPS]]]]]", argc, argv, (const int[2]){0, 5}
        ) != 0 ||
        (argc > 0 && workload_parse_size(&size_rule, argv[0], &size_bytes) != 0) ||
        (argc > 1 && workload_parse_count(&reads_rule, argv[1], &load.reads) != 0) ||
        (argc > 2 && workload_parse_count(&delay_rule, argv[2], &load.delay) != 0) ||
        (argc > 3 && workload_parse_count(&pause_rule, argv[3], &load.pause) != 0) ||
        (argc > 4 && workload_parse_count(&groups_rule, argv[4], &load.burst) != 0)) {
        return -1;
    }
    load.until_pause = load.burst;
    load.group_count = size_bytes / GROUP_BYTES;
    load.words = workload_allocate("load", size_bytes);
    return load.words == NULL ? -1 : 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    load.job_number++;
    if (load.pause > 0) {
        make_bursts(load.job_number);
    } else {
        make_pass(load.job_number);
    }
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    for (size_t group = 0; group < load.group_count; group++) {
        check_group(group);
    }
    free(load.words);
    load.words = NULL;
}

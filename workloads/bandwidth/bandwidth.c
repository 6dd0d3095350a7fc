/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * bandwidth read|write|copy|nontemporal SIZE: streams once through SIZE bytes per job.
 *
 * copy reads the first half and writes the second, so that each mode touches SIZE bytes in all.
 * nontemporal writes past the caches, where the compiler offers such instructions (x86-64; aarch64
 * with clang); elsewhere its stores are plain and init says so.
 */
#include "../common/arguments.h"
#include "../common/outcome.h"

#include <laxity/hooks.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#if !defined(__has_builtin)
#define __has_builtin(name) 0 /* gcc before 10 */
#endif

/* What x86-64 and aarch64 always move with one instruction; others get narrower moves from it. */
typedef uint64_t vector_type __attribute__((vector_size(16)));

enum {
    LINE_VECTOR_COUNT = WORKLOAD_LINE_BYTES / sizeof(vector_type),
    LINE_WORD_COUNT = WORKLOAD_LINE_BYTES / sizeof(uint64_t)
};

struct line {
    vector_type vectors[LINE_VECTOR_COUNT];
};

/* One way to stream: how its buffer begins, its job, and the check of the whole buffer after the
 * last job. */
struct mode {
    const char *name;
    uint64_t granule_lines; /* SIZE is a multiple of so many lines */
    void (*prepare)(void);
    void (*run_job)(void);
    void (*check_all)(void);
};

static struct {
    struct line *lines;
    size_t line_count;
    const struct mode *mode;
    uint64_t job_number; /* of the job that runs or ran last, from 1 */
} bandwidth;

/*
 * Keeps a measured loop a loop: without it a compiler may make of it one call of memset or memcpy,
 * which choose their instructions by size (the C library's go past the caches from some size on).
 * It costs no instruction.
 */
static inline void keep_loop(void)
{
    __asm__ volatile("" ::: "memory");
}

static vector_type splat(const uint64_t value)
{
    return (vector_type){value, value};
}

/*
 * The measured loops, one per mode. Do not add anything: each moves one line per turn by plain
 * vector moves, all independent of each other, and nothing else may touch memory. read_lines has an
 * accumulator per vector, since one for all would make the additions wait for each other.
 */
__attribute__((noinline)) static uint64_t
read_lines(const struct line *const lines, const size_t line_count)
{
    struct line sums = {{splat(0)}};

    for (size_t i = 0; i < line_count; i++) {
        sums.vectors[0] += lines[i].vectors[0];
        sums.vectors[1] += lines[i].vectors[1];
        sums.vectors[2] += lines[i].vectors[2];
        sums.vectors[3] += lines[i].vectors[3];
    }
    const vector_type sum = sums.vectors[0] + sums.vectors[1] + sums.vectors[2] + sums.vectors[3];

    return sum[0] + sum[1];
}

__attribute__((noinline)) static void
write_lines(struct line *const lines, const size_t line_count, const uint64_t value)
{
    const vector_type vector = splat(value);

    for (size_t i = 0; i < line_count; i++) {
        lines[i].vectors[0] = vector;
        lines[i].vectors[1] = vector;
        lines[i].vectors[2] = vector;
        lines[i].vectors[3] = vector;
        keep_loop();
    }
}

__attribute__((noinline)) static void
copy_lines(struct line *const to, const struct line *const from, const size_t line_count)
{
    for (size_t i = 0; i < line_count; i++) {
        const struct line line = from[i];

        to[i] = line;
        keep_loop();
    }
}

#if defined(__SSE2__)
enum {
    HAS_NONTEMPORAL_STORES = true
};

static inline void store_nontemporal(vector_type *const to, const vector_type vector)
{
    _mm_stream_si128((__m128i *)to, (__m128i)vector);
}

/* Streaming stores are weakly ordered: without the fence a job would end while they are still under
 * way. */
static inline void finish_nontemporal(void)
{
    _mm_sfence();
}
/* Elsewhere clang has the builtin too, but makes plain stores of it. */
#elif defined(__aarch64__) && __has_builtin(__builtin_nontemporal_store)
enum {
    HAS_NONTEMPORAL_STORES = true
};

static inline void store_nontemporal(vector_type *const to, const vector_type vector)
{
    __builtin_nontemporal_store(vector, to);
}

static inline void finish_nontemporal(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#else
enum {
    HAS_NONTEMPORAL_STORES = false
};

static inline void store_nontemporal(vector_type *const to, const vector_type vector)
{
    *to = vector;
}

static inline void finish_nontemporal(void) {}
#endif

__attribute__((noinline)) static void
stream_lines(struct line *const lines, const size_t line_count, const uint64_t value)
{
    const vector_type vector = splat(value);

    for (size_t i = 0; i < line_count; i++) {
        store_nontemporal(&lines[i].vectors[0], vector);
        store_nontemporal(&lines[i].vectors[1], vector);
        store_nontemporal(&lines[i].vectors[2], vector);
        store_nontemporal(&lines[i].vectors[3], vector);
        keep_loop();
    }
    finish_nontemporal();
}

/* GNU C lets an element pointer look into vectors. */
static uint64_t *words_of(struct line *const lines)
{
    return (uint64_t *)lines;
}

static void fail_at(const size_t word, const uint64_t got, const uint64_t expected)
{
    workload_fail_job(
        "bandwidth",
        "%s: word %zu of the buffer is %" PRIu64 ", expected %" PRIu64,
        bandwidth.mode->name,
        word,
        got,
        expected
    );
}

/* The words of what is read or copied count from 1, so that their sum is known and no two are
 * equal. */
static void fill_source(const size_t line_count)
{
    uint64_t *const words = words_of(bandwidth.lines);

    for (size_t i = 0; i < line_count * LINE_WORD_COUNT; i++) {
        words[i] = i + 1;
    }
}

static void prepare_read(void)
{
    fill_source(bandwidth.line_count);
}

static void run_read(void)
{
    const uint64_t sum = read_lines(bandwidth.lines, bandwidth.line_count);
    const uint64_t last = (uint64_t)bandwidth.line_count * LINE_WORD_COUNT;

    /* 1 + 2 + … + n = n (n + 1) / 2, modulo 2^64 as the loop's; n is even, being whole lines. */
    if (sum != last / 2 * (last + 1)) {
        laxity_job_failed("bandwidth: read: the sum of all words is wrong");
    }
}

/* Once more, by the job itself: memory that went bad after the last job counts too. */
static void check_read(void)
{
    run_read();
}

static void prepare_write(void) {}

static void run_write(void)
{
    write_lines(bandwidth.lines, bandwidth.line_count, bandwidth.job_number);
}

static void run_nontemporal(void)
{
    stream_lines(bandwidth.lines, bandwidth.line_count, bandwidth.job_number);
}

/* Every word holds the number of the last job (0, as allocated, if there was none). */
static void check_written(void)
{
    const uint64_t *const words = words_of(bandwidth.lines);

    for (size_t i = 0; i < bandwidth.line_count * LINE_WORD_COUNT; i++) {
        if (words[i] != bandwidth.job_number) {
            fail_at(i, words[i], bandwidth.job_number);
        }
    }
}

static void prepare_nontemporal(void)
{
    if (!HAS_NONTEMPORAL_STORES) {
        (void)fputs(
            "bandwidth: nontemporal: this build has no such stores; plain stores are used "
            "instead\n",
            stderr
        );
    }
}

static void prepare_copy(void)
{
    fill_source(bandwidth.line_count / 2);
}

/* The source's last word is the job's number: a job that copied nothing would leave the previous
 * one's. */
static void run_copy(void)
{
    const size_t half = bandwidth.line_count / 2;

    words_of(bandwidth.lines + half)[-1] = bandwidth.job_number;
    copy_lines(bandwidth.lines + half, bandwidth.lines, half);
}

static void check_copy(void)
{
    const size_t word_count = bandwidth.line_count / 2 * LINE_WORD_COUNT;
    const uint64_t *const copied = words_of(bandwidth.lines) + word_count;

    for (size_t i = 0; bandwidth.job_number > 0 && i < word_count; i++) {
        const uint64_t expected = i == word_count - 1 ? bandwidth.job_number : i + 1;

        if (copied[i] != expected) {
            fail_at(word_count + i, copied[i], expected);
        }
    }
}

static const struct mode modes[] = {
    {"read", 1, prepare_read, run_read, check_read},
    {"write", 1, prepare_write, run_write, check_written},
    {"copy", 2, prepare_copy, run_copy, check_copy},
    {"nontemporal", 1, prepare_nontemporal, run_nontemporal, check_written},
};

static const struct mode *find_mode(const char *const name)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(name, modes[i].name) == 0) {
            return &modes[i];
        }
    }
    (void
    )fprintf(stderr, "bandwidth: no mode \"%s\"; write read, write, copy or nontemporal\n", name);
    return NULL;
}

int benchmark_init(const int argc, void **const argv)
{
    struct workload_size rule = {"bandwidth", 0, 0};
    size_t size_bytes;

    if (workload_check_word_count(
            "bandwidth", "read|write|copy|nontemporal SIZE", argc, argv, (const int[2]){2, 2}
        ) != 0) {
        return -1;
    }
    bandwidth.job_number = 0;
    bandwidth.mode = find_mode(argv[0]);
    if (bandwidth.mode == NULL) {
        return -1;
    }
    rule.lowest_bytes = bandwidth.mode->granule_lines * WORKLOAD_LINE_BYTES;
    rule.granule_bytes = rule.lowest_bytes;
    if (workload_parse_size(&rule, argv[1], &size_bytes) != 0) {
        return -1;
    }
    bandwidth.line_count = size_bytes / WORKLOAD_LINE_BYTES;
    bandwidth.lines = workload_allocate("bandwidth", size_bytes);
    if (bandwidth.lines == NULL) {
        return -1;
    }
    bandwidth.mode->prepare();
    return 0;
}

void benchmark_execution(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    bandwidth.job_number++;
    bandwidth.mode->run_job();
}

void benchmark_teardown(const int argc, void **const argv)
{
    (void)argc;
    (void)argv;
    bandwidth.mode->check_all();
    free(bandwidth.lines);
    bandwidth.lines = NULL;
}

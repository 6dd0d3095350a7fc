/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/error.h"
#include "base/port/executable.h"
#include "codegen/code.h"
#include "codegen/isa.h"
#include "codegen/shape.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <sys/ptrace.h>
#include <sys/user.h>
#endif

static struct laxity_shape shape_of(uint64_t bytes, uint32_t line_bytes, uint32_t percent)
{
    return (struct laxity_shape){bytes, line_bytes, percent * (LAXITY_RATIO_ONE / 100)};
}

static void adds_are_what_is_neither_jump_nor_return(void)
{
    /* Whole lines: 2 lines of 16 words, without jumps: 32 words, the last one returns. */
    const struct laxity_shape whole = {128, 64, laxity_shape_lowest_ratio(64)};
    CHECK_EQUAL(laxity_shape_uses(&whole), 32);
    CHECK_EQUAL(laxity_code_adds(&whole), 31);
    /* 100 %: 10 lines of one word: 9 jumps and a return. */
    const struct laxity_shape none = shape_of(640, 64, 100);
    CHECK_EQUAL(laxity_code_adds(&none), 0);
    /* 50 %: 10 lines of an add and a jump or return. */
    const struct laxity_shape half = shape_of(640, 64, 50);
    CHECK_EQUAL(laxity_code_adds(&half), 10);
    /* One line, of which 4 words of 4 are used: 3 adds and a return. */
    const struct laxity_shape one = shape_of(16, 16, 25);
    CHECK_EQUAL(laxity_code_adds(&one), 3);
}

/* laxity_code_make() compares what `add 1` added; from the outside, the code must not change a
 * value and must lie in lines of its own. */
static void check_code(const struct laxity_shape shape)
{
    struct laxity_error error = {0};
    struct laxity_code code = {0};
    CHECK_EQUAL(laxity_code_make(&shape, 1, &code, &error), 0);
    CHECK_TEXT(error.text, "");
    CHECK_EQUAL(code.bytes, shape.bytes);
    CHECK_EQUAL((uintptr_t)code.start % shape.line_bytes, 0);
    CHECK_EQUAL(laxity_code_run(&code, 0, 12345), 12345);
    laxity_code_free(&code);
    CHECK(code.start == NULL);
}

static void code_of_every_shape_runs_as_often_as_it_says(void)
{
    static const uint32_t percents[] = {100, 67, 66, 50, 33, 30, 25};
    static const uint64_t lines[] = {1, 2, 3, 64, 1000};
    for (uint32_t line = LAXITY_SHORTEST_LINE_BYTES; line <= LAXITY_LONGEST_LINE_BYTES; line *= 2) {
        for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
            for (size_t n = 0; n < sizeof lines / sizeof lines[0]; n++) {
                check_code(shape_of(lines[n] * line, line, percents[i]));
            }
        }
    }
}

static void code_is_what_was_written_and_not_more(void)
{
    const struct laxity_shape shape = shape_of(UINT64_C(3) * 64, 64, 50);
    struct laxity_error error = {0};
    struct laxity_code code = {0};
    unsigned char expected[3 * 64];
    CHECK_EQUAL(laxity_code_make(&shape, 1, &code, &error), 0);
    laxity_code_write(laxity_isa_host(), &shape, LAXITY_CODE_ADD_ZERO, expected);
    CHECK(memcmp(code.start, expected, sizeof expected) == 0);
    for (size_t i = sizeof expected; i < code.mapped_bytes; i++) {
        CHECK_EQUAL(code.start[i], 0);
    }
    laxity_code_free(&code);
}

/* With `add 1`, so that the sum tells where a run began and ended. */
static void run_goes_from_its_line_to_the_end_of_the_copy(void)
{
    enum {
        LINES = 10,
        COPIES = 3
    };
    const struct laxity_shape shape = shape_of(UINT64_C(64) * LINES, 64, 50);
    struct laxity_error error = {0};
    struct laxity_code code = {0};
    CHECK_EQUAL(laxity_code_make(&shape, COPIES, &code, &error), 0);
    CHECK_EQUAL(code.bytes, LINES * 64 * COPIES);
    CHECK_EQUAL(laxity_executable_open(code.start, code.mapped_bytes), 0);
    for (size_t i = 0; i < COPIES; i++) {
        unsigned char *copy = code.start + i * 64 * LINES;
        laxity_code_write(laxity_isa_host(), &shape, LAXITY_CODE_ADD_ONE, copy);
    }
    CHECK_EQUAL(laxity_executable_seal(code.start, code.mapped_bytes), 0);
    /* One add a line: the 10 - k last lines of a copy add 10 - k. */
    for (size_t line = 0; line < (size_t)LINES * COPIES; line++) {
        CHECK_EQUAL(laxity_code_run(&code, line * 64, 0), 10 - line % 10);
    }
    laxity_code_free(&code);
}

/* 2^63 bytes fit no address space; twice that is no number of bytes. */
static void code_that_fits_no_memory_is_refused(void)
{
    const struct laxity_shape shape = {UINT64_C(1) << 63, 64, LAXITY_RATIO_ONE};
    struct laxity_error error = {0};
    struct laxity_code code = {0};
    CHECK_EQUAL(laxity_code_make(&shape, 1, &code, &error), -1);
    CHECK_EQUAL(laxity_code_make(&shape, 2, &code, &error), -1);
    CHECK_EQUAL(error.exit_code, LAXITY_EXIT_LACKING);
    CHECK(strstr(error.text, "cannot allocate generated code: ") == error.text);
    CHECK(code.start == NULL);
}

/* As under systemd's MemoryDenyWriteExecute=; in a child, because it cannot be taken back. */
static void system_that_forbids_executable_memory_is_told(void)
{
    enum {
        SET_MDWE = 65, /* PR_SET_MDWE, Linux 6.3 */
        REFUSE_EXEC_GAIN = 1,
        LACKING = 2
    };
    const pid_t child = fork();
    if (child == 0) {
        const struct laxity_shape shape = shape_of(64, 64, 100);
        struct laxity_error error = {0};
        struct laxity_code code = {0};
        if (prctl(SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0) != 0) {
            _exit(LACKING);
        }
        const bool is_told = laxity_code_make(&shape, 1, &code, &error) == -1 &&
                             error.exit_code == LAXITY_EXIT_LACKING && code.start == NULL &&
                             strstr(error.text, "cannot execute generated code: Permission denied");
        _exit(is_told ? 0 : 1);
    }
    int status = 0;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == LACKING) {
        SKIP("needs a kernel that can forbid executable memory");
    }
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#if defined(__x86_64__)
/* Runs one pass step by step and counts the instructions inside the code; -1 if it cannot. */
static int64_t count_steps(const struct laxity_code *code)
{
    const pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
            _exit(1);
        }
        (void)raise(SIGSTOP);
        _exit(laxity_code_run(code, 0, 3) == 3 ? 0 : 1);
    }
    int64_t steps = 0;
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        struct user_regs_struct registers;
        (void)ptrace(PTRACE_GETREGS, child, NULL, &registers);
        steps += registers.rip - (uintptr_t)code->start < code->bytes;
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0) {
            break;
        }
    }
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? steps : -1;
}

/* The processor itself, one instruction at a time. */
static void a_pass_executes_lines_divided_by_miss_ratio_instructions(void)
{
    static const struct {
        struct laxity_shape shape;
        int64_t instructions;
    } cases[] = {
        {{640, 64, 1000000}, 10},  /* 10 lines of 1 */
        {{640, 64, 500000}, 20},   /* of 2 */
        {{640, 64, 666667}, 15},   /* of 1 and 2 in turn */
        {{640, 64, 62500}, 160},   /* of all 16 */
        {{1024, 128, 31250}, 256}, /* 8 lines of all 32 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct laxity_error error = {0};
        struct laxity_code code = {0};
        CHECK_EQUAL(laxity_code_make(&cases[i].shape, 1, &code, &error), 0);
        CHECK_EQUAL(count_steps(&code), cases[i].instructions);
        CHECK_EQUAL(laxity_shape_uses(&cases[i].shape), cases[i].instructions);
        laxity_code_free(&code);
    }
}
#endif

int main(void)
{
    RUN(adds_are_what_is_neither_jump_nor_return);
    RUN(code_of_every_shape_runs_as_often_as_it_says);
    RUN(code_is_what_was_written_and_not_more);
    RUN(run_goes_from_its_line_to_the_end_of_the_copy);
    RUN(code_that_fits_no_memory_is_refused);
    RUN(system_that_forbids_executable_memory_is_told);
#if defined(__x86_64__)
    RUN(a_pass_executes_lines_divided_by_miss_ratio_instructions);
#endif
    return test_exit_code();
}

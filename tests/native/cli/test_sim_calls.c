/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What system calls do to what is claimed of a program, and programs that are none. */
#include "../test.h"
#include "base/error.h"
#include "cli/calls.h"
#include "harness/segment.h"
#include "interface/forbidden.h"
#include "interface/records.h"

#include <elf.h>
#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of ARM, arch/arm/tools/syscall.tbl of Linux. */
enum {
    ARM_READ = 3,
    ARM_WRITE = 4,
    ARM_BRK = 45,
    ARM_READLINK = 85,
    ARM_SYSINFO = 116,
    ARM_CLONE = 120,
    ARM_UGETRLIMIT = 191,
    ARM_SET_TID_ADDRESS = 256,
    ARM_SOCKET = 281,
    ARM_PRLIMIT64 = 369,
    ARM_GETRANDOM = 384,
    ARM_CLOCK_GETTIME64 = 403,
    NO_CALL = 4000,
    LIMIT_OF_STACK = 3,
    LIMIT_OF_FILES = 7,
    TEXT_BYTES = 300,
};

/* Of the program that a test is about. */
static struct laxity_asked asked;

/* Opens a file of a header only. */
static int open_elf(struct laxity_sim_calls *calls, uint16_t machine, bool is_big_endian)
{
    char path[] = "/tmp/laxity-test-calls-XXXXXX";
    const int fd = mkstemp(path);
    Elf32_Ehdr header = {.e_machine = is_big_endian ? htobe16(machine) : htole16(machine)};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS32;
    header.e_ident[EI_DATA] = is_big_endian ? ELFDATA2MSB : ELFDATA2LSB;
    CHECK_EQUAL(write(fd, &header, sizeof header), sizeof header);
    (void)close(fd);
    struct laxity_error error = {0};
    const int rc = laxity_sim_calls_open(calls, &asked, path, &error);
    CHECK_EQUAL(error.exit_code, rc ? LAXITY_EXIT_USAGE : 0);
    (void)unlink(path);
    return rc;
}

static struct laxity_sim_calls arm(void)
{
    struct laxity_sim_calls calls = {0};
    asked = (struct laxity_asked){0};
    CHECK_EQUAL(open_elf(&calls, EM_ARM, false), 0);
    return calls;
}

static const char *told(void)
{
    static char text[TEXT_BYTES];
    laxity_sim_calls_tell(&asked, text, sizeof text);
    return text;
}

static void time_within_a_job_is_named_once(void)
{
    struct laxity_sim_calls calls = arm();
    CHECK(laxity_sim_calls_note(&calls, ARM_CLOCK_GETTIME64, true));
    CHECK(laxity_sim_calls_note(&calls, ARM_SOCKET, true));
    CHECK(laxity_sim_calls_note(&calls, ARM_CLOCK_GETTIME64, true));
    CHECK_TEXT(told(), "clock_gettime64, socket");
}

static void memory_and_output_change_nothing(void)
{
    struct laxity_sim_calls calls = arm();
    CHECK(laxity_sim_calls_note(&calls, ARM_BRK, true));
    CHECK(laxity_sim_calls_note(&calls, ARM_WRITE, true));
    CHECK_TEXT(told(), "");
}

static void files_may_be_read_before_a_job_and_not_in_it(void)
{
    struct laxity_sim_calls calls = arm();
    CHECK(laxity_sim_calls_note(&calls, ARM_READ, false));
    CHECK_TEXT(told(), "");
    CHECK(laxity_sim_calls_note(&calls, ARM_READ, true));
    CHECK_TEXT(told(), "read");
}

static void randomness_is_the_c_librarys_once(void)
{
    struct laxity_sim_calls calls = arm();
    CHECK(laxity_sim_calls_note(&calls, ARM_GETRANDOM, false));
    CHECK_TEXT(told(), "");
    CHECK(laxity_sim_calls_note(&calls, ARM_GETRANDOM, false));
    CHECK_TEXT(told(), "getrandom");
}

static void time_is_no_business_of_init_either(void)
{
    struct laxity_sim_calls calls = arm();
    CHECK(laxity_sim_calls_note(&calls, ARM_CLOCK_GETTIME64, false));
    CHECK_TEXT(told(), "clock_gettime64");
}

/* Of a call whose first arguments these are. */
static const char *question(
    const struct laxity_sim_calls *calls,
    unsigned *n_of_start,
    uint64_t number,
    uint64_t a,
    uint64_t b
)
{
    const uint64_t arguments[LAXITY_RECORD_ARGUMENTS] = {a, b};
    const char *name = laxity_sim_question(calls->table, n_of_start, number, arguments);
    return name ? name : "";
}

static void what_the_c_library_asks_first_is_no_question_of_the_programs(void)
{
    static const uint64_t of_start[] = {
        ARM_SET_TID_ADDRESS, ARM_READLINK, ARM_GETRANDOM, ARM_SYSINFO
    };
    const struct laxity_sim_calls calls = arm();
    unsigned n = 0;
    for (unsigned i = 0; i < 4; i++) {
        CHECK_TEXT(question(&calls, &n, of_start[i], 0, 0), "");
        CHECK_TEXT(question(&calls, &n, ARM_BRK, 0, 0), "");
    }
    /* The second of each is the program's. */
    CHECK_TEXT(question(&calls, &n, ARM_SET_TID_ADDRESS, 0, 0), "set_tid_address");
    CHECK_TEXT(question(&calls, &n, ARM_READLINK, 0, 0), "readlink");
    CHECK_TEXT(question(&calls, &n, ARM_GETRANDOM, 0, 0), "getrandom");
    CHECK_TEXT(question(&calls, &n, ARM_SYSINFO, 0, 0), "sysinfo");
}

static void questions_out_of_the_c_librarys_order_are_the_programs(void)
{
    const struct laxity_sim_calls calls = arm();
    unsigned n = 0;
    /* One without a C library that has begun asks for a link. */
    CHECK_TEXT(question(&calls, &n, ARM_READLINK, 0, 0), "readlink");
    CHECK_TEXT(question(&calls, &n, ARM_SYSINFO, 0, 0), "sysinfo");
}

static void calls_that_are_not_known_to_be_constant_are_questions(void)
{
    const struct laxity_sim_calls calls = arm();
    unsigned n = 0;
    CHECK_TEXT(question(&calls, &n, ARM_WRITE, 1, 0), "");
    CHECK_TEXT(question(&calls, &n, ARM_UGETRLIMIT, LIMIT_OF_STACK, 1), "");
    CHECK_TEXT(question(&calls, &n, ARM_UGETRLIMIT, LIMIT_OF_FILES, 1), "ugetrlimit");
    CHECK_TEXT(question(&calls, &n, ARM_PRLIMIT64, 0, LIMIT_OF_STACK), "");
    CHECK_TEXT(question(&calls, &n, ARM_PRLIMIT64, 1, LIMIT_OF_STACK), "prlimit64");
    CHECK_TEXT(question(&calls, &n, ARM_PRLIMIT64, 0, LIMIT_OF_FILES), "prlimit64");
    CHECK_TEXT(question(&calls, &n, ARM_READ, 0, 0), "read");
    CHECK_TEXT(question(&calls, &n, NO_CALL, 0, 0), "a call without a name");
}

static void threads_are_refused_wherever_they_are_made(void)
{
    struct laxity_sim_calls calls = arm();
    CHECK(!laxity_sim_calls_note(&calls, ARM_CLONE, false));
    CHECK(!laxity_sim_calls_note(&calls, ARM_CLONE, true));
    CHECK_TEXT(calls.refused, "clone");
    const struct laxity_sim_judge judge = laxity_sim_calls_judge(&calls);
    CHECK(strstr(judge.why(judge.context), "it calls clone: threads") != NULL);
}

static void calls_without_a_name_are_told_by_their_number(void)
{
    struct laxity_sim_calls calls = arm();
    CHECK(laxity_sim_calls_note(&calls, NO_CALL, true));
    CHECK_TEXT(told(), "call 4000");
}

static void more_than_can_be_told_are_dropped(void)
{
    struct laxity_sim_calls calls = arm();
    for (uint64_t i = 0; i <= LAXITY_ASKED_CALLS; i++) {
        CHECK(laxity_sim_calls_note(&calls, NO_CALL + i, true));
    }
    CHECK_EQUAL(asked.n, LAXITY_ASKED_CALLS);
    char text[8];
    laxity_sim_calls_tell(&asked, text, sizeof text); /* and what does not fit is cut */
    CHECK_TEXT(text, "call 40");
}

static void programs_of_other_processors_are_refused(void)
{
    struct laxity_sim_calls calls;
    CHECK_EQUAL(open_elf(&calls, EM_68K, true), -1);
    CHECK_EQUAL(open_elf(&calls, EM_ARM, true), -1); /* of the other byte order */
    struct laxity_error error = {0};
    CHECK_EQUAL(laxity_sim_calls_open(&calls, &asked, "/dev/null", &error), -1);
    CHECK_EQUAL(laxity_sim_calls_open(&calls, &asked, "/nonexistent", &error), -1);
}

static void a_program_that_cannot_be_read_says_why(void)
{
    struct laxity_error error = {0};
    struct laxity_sim_calls calls;
    CHECK_EQUAL(laxity_sim_calls_open(&calls, &asked, "/nowhere/0000", &error), -1);
    CHECK_TEXT(error.text, "/nowhere/0000: cannot be read: No such file or directory");
    CHECK_EQUAL(error.exit_code, LAXITY_EXIT_LACKING);
}

int main(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "armhf") != 0) {
        (void)puts("no compiler for armhf, whose headers have the numbers");
        return TEST_EXIT_SKIPPED;
    }
    RUN(time_within_a_job_is_named_once);
    RUN(memory_and_output_change_nothing);
    RUN(files_may_be_read_before_a_job_and_not_in_it);
    RUN(randomness_is_the_c_librarys_once);
    RUN(time_is_no_business_of_init_either);
    RUN(what_the_c_library_asks_first_is_no_question_of_the_programs);
    RUN(questions_out_of_the_c_librarys_order_are_the_programs);
    RUN(calls_that_are_not_known_to_be_constant_are_questions);
    RUN(threads_are_refused_wherever_they_are_made);
    RUN(calls_without_a_name_are_told_by_their_number);
    RUN(more_than_can_be_told_are_dropped);
    RUN(programs_of_other_processors_are_refused);
    RUN(a_program_that_cannot_be_read_says_why);
    return test_exit_code();
}

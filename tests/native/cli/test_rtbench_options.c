/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/cpus.h"
#include "base/error.h"
#include "cli/rtbench_csv.h"
#include "cli/rtbench_options.h"
#include "cli/rtbench_values.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    WORDS_MAX = 32
};

static struct laxity_rtbench_options options;
static struct laxity_error error;

/* Words separated by blanks, as a shell would hand them over; '~' becomes a blank inside a word. */
static int parse(const char *line)
{
    static char text[512];
    static char name[] = "empty";
    char *argv[WORDS_MAX] = {name};
    int argc = 1;
    laxity_rtbench_options_free(&options);
    error = (struct laxity_error){0};
    (void)snprintf(text, sizeof text, "%s", line);
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        for (char *blank = strchr(word, '~'); blank; blank = strchr(blank, '~')) {
            *blank = ' ';
        }
        argv[argc++] = word;
    }
    return laxity_rtbench_options_parse(argc, argv, &options, &error);
}

static void check_seconds(const char *text, int64_t want_ns)
{
    int64_t ns = -1;
    CHECK_EQUAL(laxity_parse_seconds(text, &ns), 0);
    if (ns != want_ns) {
        test_fail(__FILE__, __LINE__, "%s s is %lld ns", text, (long long)ns);
    }
}

static void seconds_are_exact_to_the_nanosecond(void)
{
    check_seconds("0.001", 1000000);
    check_seconds("1", 1000000000);
    check_seconds("10", INT64_C(10000000000));
    check_seconds(".5", 500000000);
    check_seconds("5.", INT64_C(5000000000));
    check_seconds("0.000000001", 1);
    check_seconds("0.123456789", 123456789);
    check_seconds("1e-3", 1000000);
    check_seconds("2.5E+1", INT64_C(25000000000));
    check_seconds("0", 0);
    check_seconds("0e9", 0);
}

/* What Python prints of a quotient has 17 digits; a double holds 0.0033 as 0.00330000000000000019.
 */
static void more_digits_than_nanoseconds_are_rounded_to_the_nearest(void)
{
    check_seconds("0.0033000000000000003", 3300000);
    check_seconds("3.3000000000000003e-05", 33000);
    check_seconds("0.0000000014", 1);
    check_seconds("0.0000000015", 2);
    check_seconds("0.0000000004", 0);
    check_seconds("1.00000000000000000000000000000001", 1000000000);
    check_seconds("0.99999999999999999999999999999999", 1000000000);
    check_seconds("1e-999999999999999999999", 0);
}

static void no_number_of_seconds_is_refused(void)
{
    static const char *const bad[] = {
        "",
        ".",
        "-1",
        "+1",
        "1s",
        "1ms",
        "nan",
        "inf",
        "0x1",
        "1e",
        "1e-",
        "1.2.3",
        " 1",
        "1 ",
        "e3"
    };
    int64_t ns = 77;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_EQUAL(laxity_parse_seconds(bad[i], &ns), -EINVAL);
    }
    /* 400 days = 34560000 s are the most */
    CHECK_EQUAL(laxity_parse_seconds("34560000.000000001", &ns), -ERANGE);
    CHECK_EQUAL(laxity_parse_seconds("1e300", &ns), -ERANGE);
    CHECK_EQUAL(ns, 77);
    check_seconds("34560000", INT64_C(34560000000000000));
}

static void defaults_are_those_of_rt_bench(void)
{
    CHECK_EQUAL(parse("-p 0.001"), 0);
    CHECK_EQUAL(options.period_ns, 1000000);
    CHECK_EQUAL(options.deadline_ns, 1000000);
    CHECK_EQUAL(options.jobs, 0);
    CHECK_EQUAL(options.priority, 0);
    CHECK_EQUAL(options.level, LAXITY_RTBENCH_STDOUT);
    CHECK(laxity_cpus_is_empty(&options.cpus));
    CHECK_TEXT(options.csv_path, "./timing.csv");
    CHECK_EQUAL(options.words.n, 0);
}

static void check_all_set(void)
{
    CHECK_EQUAL(options.period_ns, 10000000);
    CHECK_EQUAL(options.deadline_ns, 5000000);
    CHECK_EQUAL(options.jobs, 7);
    CHECK_EQUAL(options.priority, 99);
    CHECK_EQUAL(options.level, LAXITY_RTBENCH_FILE);
    CHECK_EQUAL(laxity_cpus_count(&options.cpus), 2);
    CHECK(laxity_cpus_has(&options.cpus, 3));
    CHECK_TEXT(options.csv_path, "a.csv");
    CHECK_EQUAL(options.words.n, 2);
    CHECK_TEXT(options.words.items[0], "64KiB");
    CHECK_TEXT(options.words.items[1], "-x");
}

static void letters_and_long_names_mean_the_same(void)
{
    CHECK_EQUAL(parse("-p 0.01 -d 0.005 -t 7 -c 0,3 -f 99 -l 2 -o a -b 64KiB~~-x"), 0);
    check_all_set();
    CHECK_EQUAL(parse("-p0.01 -d0.005 -t7 -c0,3 -f99 -l2 -oa -b64KiB~-x"), 0);
    check_all_set();
    CHECK_EQUAL(
        parse("--period=0.01 --deadline 0.005 --tasks-number=7 --core-affinity=0,3 --fifo 99 "
              "--log-level=2 --output=a.csv --bmark-args=64KiB~-x"),
        0
    );
    check_all_set();
}

static void check_refusal(const char *line, const char *part)
{
    CHECK_EQUAL(parse(line), -1);
    CHECK_EQUAL(error.exit_code, 2);
    if (!strstr(error.text, part)) {
        test_fail(__FILE__, __LINE__, "\"%s\" lacks \"%s\"", error.text, part);
    }
}

static void launcher_is_its_words_in_their_order(void)
{
    CHECK_EQUAL(parse("--launcher qemu-arm -p 1 --launcher=-L --launcher /usr/arm~x"), 0);
    CHECK_EQUAL(options.launcher.n, 3);
    CHECK_TEXT(options.launcher.items[0], "qemu-arm");
    CHECK_TEXT(options.launcher.items[1], "-L");
    CHECK_TEXT(options.launcher.items[2], "/usr/arm x");
    CHECK_EQUAL(parse("-p 1"), 0);
    CHECK_EQUAL(options.launcher.n, 0);
    check_refusal("-p 1 --launcher", "--launcher needs a value: WORD");
}

static void log_level_is_all_that_begins_with_l_as_in_rt_bench(void)
{
    CHECK_EQUAL(parse("-p 1 --l=2"), 0);
    CHECK_EQUAL(options.level, LAXITY_RTBENCH_FILE);
    CHECK_EQUAL(parse("-p 1 --log 4"), 0);
    CHECK_EQUAL(options.level, LAXITY_RTBENCH_HUMAN);
}

static void options_that_mean_off_are_accepted(void)
{
    CHECK_EQUAL(parse("-p 1 -m 0 -M 0 -C 1 -B 1000000"), 0);
    CHECK(!options.is_profiling);
}

static void output_shorter_than_its_suffix_is_taken_whole(void)
{
    CHECK_EQUAL(parse("-p 1 -o x"), 0);
    CHECK_TEXT(options.csv_path, "x.csv");
    CHECK_EQUAL(parse("-p 1 -o csv"), 0);
    CHECK_TEXT(options.csv_path, "csv.csv");
    CHECK_EQUAL(parse("-p 1 -o .csv"), 0);
    CHECK_TEXT(options.csv_path, ".csv");
}

static void bad_values_are_refused_with_what_to_write(void)
{
    check_refusal("", "no period");
    check_refusal("-p 10ms", "write seconds, as in 0.001");
    check_refusal("-p 0", "back to back");
    check_refusal("-p 0.000000999", "below 1 us");
    check_refusal("-p 0.01 -d 0.010000001", "longer than period");
    check_refusal("-p 1 -f 0", "-f 0: out of range; write 1 to 99");
    check_refusal("-p 1 -f 100", "-f 100: out of range; write 1 to 99");
    check_refusal("-p 1 -l 0", "write 1, 2, 3, 4 or 5");
    check_refusal("-p 1 -l 6", "write 1, 2, 3, 4 or 5");
    check_refusal("-p 1 -t -1", "write a number");
    check_refusal("-p 1 -c one", "write CPU numbers");
    check_refusal("-p", "-p needs a value: SECONDS");
    check_refusal("-p 1 --perod 2", "unknown option --perod");
    check_refusal("-p 1 -z", "unknown option -z");
    check_refusal("-p 1 -b 64KiB -x", "unknown option -x");
    check_refusal("-p 1 64KiB", "one quoted string after -b");
}

static void check_size(const char *text, uint64_t wanted)
{
    uint64_t bytes = 0;
    CHECK_EQUAL(laxity_parse_rtbench_bytes(text, &bytes), 0);
    CHECK_EQUAL(bytes, wanted);
}

static void sizes_have_letters_of_powers_of_1024(void)
{
    check_size("0", 0);
    check_size("65536", 65536);
    check_size("64K", 65536);
    check_size("64k", 65536);
    check_size("3M", 3145728); /* 3 * 1024^2 */
    check_size("2g", 2147483648);
    check_size("1024G", INT64_C(1) << 40);
}

static void no_size_is_refused(void)
{
    static const char *const bad[] = {
        "", "K", "-1", "+1", "1 K", "1KB", "1KiB", "1.5M", "0x10", "1T", " 1", "KK"
    };
    uint64_t bytes = 7;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_EQUAL(laxity_parse_rtbench_bytes(bad[i], &bytes), -EINVAL);
    }
    CHECK_EQUAL(laxity_parse_rtbench_bytes("1025G", &bytes), -ERANGE);
    CHECK_EQUAL(laxity_parse_rtbench_bytes("99999999999999999999", &bytes), -ERANGE);
    CHECK_EQUAL(bytes, 7);
    check_refusal("-p 1 -m 1KiB", "-m 1KiB: not understood; write bytes, as in 65536, 64K or 1M");
}

static void memory_limit_is_taken(void)
{
    CHECK_EQUAL(parse("-p 1 -m 64K"), 0);
    CHECK_EQUAL(options.memory_limit_bytes, 65536);
    CHECK_EQUAL(parse("-p 1 --mem-limit=0"), 0);
    CHECK_EQUAL(options.memory_limit_bytes, 0);
}

static void option_without_its_part_is_refused_by_name(void)
{
    check_refusal("-p 1 -H heap", "the heap stays the C library's; map that memory");
    check_refusal("-p 1 -H 0x80000000", "the heap stays the C library's; map that memory");
}

static void profiling_has_a_cpu_and_a_bucket_in_nanoseconds(void)
{
    CHECK_EQUAL(parse("-p 1 -M 1"), 0);
    CHECK(options.is_profiling);
    CHECK_EQUAL(options.profiling_cpu, -1);
    CHECK_EQUAL(options.profiling_bucket_ns, 10000000);
    CHECK_EQUAL(
        parse("-p 1 --memory-profiling-enable=1 --memory-profiling-core=3 "
              "--memory-profiling-time-bucket=100000"),
        0
    );
    CHECK_EQUAL(options.profiling_cpu, 3);
    CHECK_EQUAL(options.profiling_bucket_ns, 100000);
    check_refusal("-p 1 -M yes", "-M yes: not understood; write 0 or 1");
    check_refusal("-p 1 -C 0,1", "-C 0,1: not understood; write one CPU number");
    check_refusal("-p 1 -B 99999", "-B 99999: out of range; write nanoseconds without a unit");
}

static void reservation_is_in_nanoseconds_and_apart_from_period_and_deadline(void)
{
    CHECK_EQUAL(parse("-p 0.02 -d 0.01 -P 5000000 -D 4000000 -T 1000000"), 0);
    CHECK_EQUAL(options.reservation.period_ns, 5000000);
    CHECK_EQUAL(options.reservation.deadline_ns, 4000000);
    CHECK_EQUAL(options.reservation.runtime_ns, 1000000);
    CHECK_EQUAL(options.period_ns, 20000000);
    CHECK_EQUAL(options.deadline_ns, 10000000);
    CHECK_EQUAL(parse("-p 1 --sched-period=2000 --sched-deadline=1900 --sched-runtime=1800"), 0);
    CHECK_EQUAL(options.reservation.runtime_ns, 1800);
}

static void reserved_deadline_is_its_period_and_reserved_runtime_its_deadline(void)
{
    CHECK_EQUAL(parse("-p 1 -P 5000000"), 0);
    CHECK_EQUAL(options.reservation.deadline_ns, 5000000);
    CHECK_EQUAL(options.reservation.runtime_ns, 5000000);
    CHECK_EQUAL(parse("-p 1 -P 5000000 -D 3000000"), 0);
    CHECK_EQUAL(options.reservation.runtime_ns, 3000000);
    CHECK_EQUAL(parse("-p 1"), 0);
    CHECK_EQUAL(options.reservation.runtime_ns, 0);
}

static void reservation_that_cannot_be_is_refused(void)
{
    check_refusal("-p 1 -D 1000", "add its period, -P NS");
    check_refusal("-p 1 -T 1000", "add its period, -P NS");
    check_refusal("-p 1 -P 5000000 -f 50", "exclude each other");
    check_refusal("-p 1 -P 5ms", "write nanoseconds without a unit");
    check_refusal("-p 1 -P 0", "-P 0: out of range");
    check_refusal("-p 1 -P 5000000 -D 5000001", "-P, -D, -T: deadline 5000001 ns is longer than");
    check_refusal("-p 1 -P 5000000 -T 5000001", "runtime 5000001 ns is longer than the deadline");
    check_refusal("-p 1 -P 5000000 -T 1023", "below 1024 ns");
    CHECK_EQUAL(parse("-p 1 -P 5000000 -T 1024"), 0);
}

/* Written beside the test's other output; the name is no word of the command line above. */
static void write_config(const char *json)
{
    FILE *file = fopen("rtbench-options-test.json", "we");
    CHECK(file != NULL);
    if (file) {
        CHECK(fputs(json, file) >= 0);
        CHECK_EQUAL(fclose(file), 0);
    }
}

static void configuration_file_gives_way_to_options_after_it_and_overrides_those_before(void)
{
    write_config("{\"deadline\": 5e-3, \"period\": \"0.01\", \"tasks-number\": 15, "
                 "\"core-affinity\": \"0,3\", \"fifo\": 99, \"log-level\": 2, "
                 "\"output\": \"a\", \"bmark-args\": \"64KiB -x\"}");
    CHECK_EQUAL(parse("-g rtbench-options-test.json -t 7"), 0);
    check_all_set();
    CHECK_EQUAL(parse("-t 7 -g rtbench-options-test.json"), 0);
    CHECK_EQUAL(options.jobs, 15);
    write_config("{\"perod\": 1}");
    check_refusal("-g rtbench-options-test.json", "\"perod\" is no option");
    write_config("{\"configuration-file\": \"rtbench-options-test.json\"}");
    check_refusal("-g rtbench-options-test.json", "is no option");
    write_config("{\"period\": \"10ms\"}");
    check_refusal("-g rtbench-options-test.json", "-p 10ms: not understood; write seconds");
    CHECK_EQUAL(remove("rtbench-options-test.json"), 0);
}

static void questions_need_no_period(void)
{
    static const char *const help[] = {"-h", "-?", "--help"};
    for (size_t i = 0; i < sizeof help / sizeof help[0]; i++) {
        CHECK_EQUAL(parse(help[i]), 0);
        CHECK_EQUAL(options.question, LAXITY_RTBENCH_HELP);
    }
    CHECK_EQUAL(parse("--usage"), 0);
    CHECK_EQUAL(options.question, LAXITY_RTBENCH_USAGE);
}

int main(void)
{
    RUN(seconds_are_exact_to_the_nanosecond);
    RUN(more_digits_than_nanoseconds_are_rounded_to_the_nearest);
    RUN(no_number_of_seconds_is_refused);
    RUN(defaults_are_those_of_rt_bench);
    RUN(letters_and_long_names_mean_the_same);
    RUN(launcher_is_its_words_in_their_order);
    RUN(log_level_is_all_that_begins_with_l_as_in_rt_bench);
    RUN(options_that_mean_off_are_accepted);
    RUN(output_shorter_than_its_suffix_is_taken_whole);
    RUN(bad_values_are_refused_with_what_to_write);
    RUN(sizes_have_letters_of_powers_of_1024);
    RUN(no_size_is_refused);
    RUN(memory_limit_is_taken);
    RUN(option_without_its_part_is_refused_by_name);
    RUN(profiling_has_a_cpu_and_a_bucket_in_nanoseconds);
    RUN(reservation_is_in_nanoseconds_and_apart_from_period_and_deadline);
    RUN(reserved_deadline_is_its_period_and_reserved_runtime_its_deadline);
    RUN(reservation_that_cannot_be_is_refused);
    RUN(configuration_file_gives_way_to_options_after_it_and_overrides_those_before);
    RUN(questions_need_no_period);
    laxity_rtbench_options_free(&options);
    return test_exit_code();
}

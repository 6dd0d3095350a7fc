/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/cpus.h"
#include "base/error.h"
#include "base/port/time.h"
#include "cli/probe_options.h"
#include "schema/probes.h"
#include "schema/streams.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    WORDS_MAX = 32
};

static struct laxity_probe_request request;
static struct laxity_error error;

static const struct laxity_crpd_settings *crpd(void)
{
    return request.plan.settings;
}

/* Words separated by blanks, as a shell would hand them over. */
static int parse(const char *line)
{
    static char text[512];
    char *argv[WORDS_MAX];
    int argc = 0;
    laxity_probe_options_free(&request);
    error = (struct laxity_error){0};
    (void)snprintf(text, sizeof text, "%s", line);
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        argv[argc++] = word;
    }
    return laxity_probe_options_parse(argc, argv, &request, &error);
}

static void defaults_measure_the_plain_case(void)
{
    CHECK_EQUAL(parse("--run-dir d crpd --size 64KiB"), 0);
    CHECK_EQUAL(crpd()->sizes_bytes.n, 1);
    CHECK_EQUAL(crpd()->sizes_bytes.items[0], 65536);
    CHECK(crpd()->has_case[LAXITY_CRPD_CASE_SYNCHRONOUS]);
    CHECK(!crpd()->has_case[LAXITY_CRPD_CASE_ASYNCHRONOUS]);
    CHECK(crpd()->has_evict[LAXITY_CRPD_EVICT_WRITE] && !crpd()->has_evict[LAXITY_CRPD_EVICT_READ]);
    CHECK(crpd()->has_pattern[LAXITY_CRPD_PATTERN_SEQUENTIAL]);
    CHECK_EQUAL(crpd()->evict_sizes_bytes.n, 1);
    CHECK_EQUAL(crpd()->evict_sizes_bytes.items[0], 4194304);
    CHECK_EQUAL(request.plan.repetitions, 60);
    CHECK_EQUAL(request.plan.priority, 80);
    CHECK_EQUAL(request.plan.timeout_ns, INT64_C(600) * LAXITY_NS_PER_S);
    CHECK_EQUAL(laxity_cpus_count(&request.plan.cpus), 1);
    CHECK(request.plan.settings == request.settings);
}

static void words_may_be_repeated(void)
{
    CHECK_EQUAL(
        parse(
            "--run-dir d --cpus 0-1 crpd --size 4KiB --size 1MiB --case asynchronous --evict read "
            "--evict write --pattern chase --evict-size 2KiB --evict-size 1MiB"
        ),
        0
    );
    CHECK_EQUAL(crpd()->sizes_bytes.n, 2);
    CHECK_EQUAL(crpd()->evict_sizes_bytes.n, 2);
    CHECK_EQUAL(crpd()->evict_sizes_bytes.items[1], 1048576);
    CHECK(!crpd()->has_case[LAXITY_CRPD_CASE_SYNCHRONOUS]);
    CHECK(crpd()->has_evict[LAXITY_CRPD_EVICT_WRITE] && crpd()->has_evict[LAXITY_CRPD_EVICT_READ]);
    CHECK(!crpd()->has_pattern[LAXITY_CRPD_PATTERN_SEQUENTIAL]);
    CHECK_EQUAL(laxity_cpus_count(&request.plan.cpus), 2);
}

static void pairs_of_cpus_are_taken_in_their_order(void)
{
    CHECK_EQUAL(
        parse("--run-dir d migration --pair 3:10 --pair 10:3 --size 4KiB --pattern chase"), 0
    );
    const struct laxity_migration_settings *settings = request.plan.settings;
    CHECK_EQUAL(settings->pairs.n, 2);
    CHECK_EQUAL(settings->pairs.items[0].cpu, 3);
    CHECK_EQUAL(settings->pairs.items[0].cpu_to, 10);
    CHECK_EQUAL(settings->pairs.items[1].cpu, 10);
    CHECK(settings->has_pattern[LAXITY_CRPD_PATTERN_CHASE]);
    CHECK(!settings->has_pattern[LAXITY_CRPD_PATTERN_SEQUENTIAL]);
    CHECK_EQUAL(settings->budget_ns, INT64_C(45) * LAXITY_NS_PER_S);
}

static void jobs_that_change_their_cpu_need_a_workload(void)
{
    CHECK_EQUAL(parse("--run-dir d migration_jobs --primes"), 0);
    const struct laxity_migration_jobs_settings *settings = request.plan.settings;
    CHECK(settings->has_primes && settings->sizes_bytes.n == 0);
    CHECK_EQUAL(settings->change, 9);
    CHECK_EQUAL(settings->pause_ns, LAXITY_NS_PER_MS);
    CHECK_EQUAL(parse("--run-dir d migration_jobs --size 2KiB --size 8MiB --change 1"), 0);
    settings = request.plan.settings;
    CHECK(!settings->has_primes && settings->sizes_bytes.n == 2);
    CHECK_EQUAL(parse("--run-dir d migration_jobs"), -1);
    CHECK_EQUAL(error.exit_code, LAXITY_EXIT_USAGE);
    CHECK(strstr(error.text, "add --size 64KiB or --primes") != NULL);
}

static void check_refusal(const char *line, const char *part)
{
    CHECK_EQUAL(parse(line), -1);
    CHECK_EQUAL(error.exit_code, LAXITY_EXIT_USAGE);
    if (!strstr(error.text, part)) {
        test_fail(__FILE__, __LINE__, "\"%s\" lacks \"%s\"", error.text, part);
    }
}

static void bad_words_are_refused_with_what_to_do(void)
{
    check_refusal("", "there are: crpd");
    check_refusal("cprd", "there are: crpd");
    check_refusal("crpd --size 4KiB", "--run-dir");
    check_refusal("--run-dir d crpd", "add --size 64KiB");
    check_refusal("--run-dir d crpd --size 4", "write 64KiB");
    check_refusal("--run-dir d crpd --size 4KiB --evict wipe", "unknown value \"wipe\"");
    check_refusal("--run-dir d crpd --size 4KiB --case async", "unknown value");
    check_refusal(
        "--run-dir d crpd --size 4KiB --evict-size 1B", "--evict-size \"1B\": not within"
    );
    check_refusal("--run-dir d --repetitions 0 crpd --size 4KiB", "out of range");
    check_refusal("--run-dir d --priority 99 crpd --size 4KiB", "out of range");
    check_refusal("--run-dir d --timeot 3s crpd --size 4KiB", "did you mean --timeout?");
    check_refusal("--run-dir d crpd --size 4KiB more", "unexpected word");
}

static void ways_that_serve_nothing_are_refused(void)
{
    CHECK_EQUAL(
        parse("--run-dir d crpd --size 4KiB --evict write --evict execute --pattern code --pattern "
              "jumps"),
        0
    );
    CHECK(
        crpd()->has_evict[LAXITY_CRPD_EVICT_EXECUTE] && !crpd()->has_evict[LAXITY_CRPD_EVICT_FLUSH]
    );
    CHECK(
        crpd()->has_pattern[LAXITY_CRPD_PATTERN_CODE] &&
        crpd()->has_pattern[LAXITY_CRPD_PATTERN_JUMPS]
    );
    CHECK_EQUAL(
        parse("--run-dir d crpd --size 4KiB --evict read --evict execute --pattern chase "
              "--pattern code"),
        0
    );
    check_refusal(
        "--run-dir d crpd --size 4KiB --evict execute --evict write",
        "--evict execute: serves code and jumps only; add such a --pattern"
    );
    check_refusal(
        "--run-dir d crpd --size 4KiB --evict read --evict write --pattern jumps",
        "--evict read: serves sequential and chase only; add such a --pattern"
    );
    check_refusal(
        "--run-dir d crpd --size 4KiB --evict read --pattern sequential --pattern code",
        "--pattern code: no way to evict that serves it; add --evict write"
    );
}

static void pairs_that_are_none_are_refused(void)
{
    check_refusal("--run-dir d migration --size 4KiB", "add --pair 0:1");
    check_refusal("--run-dir d migration --pair 0:1", "add --size 64KiB");
    check_refusal("--run-dir d migration --size 4KiB --pair 1:1", "two different CPUs");
    check_refusal("--run-dir d migration --size 4KiB --pair 0-1", "write 0:1");
    check_refusal("--run-dir d migration --size 4KiB --pair 0:", "write 0:1");
    check_refusal("--run-dir d migration --size 4KiB --pair 0:1x", "write 0:1");
    check_refusal("--run-dir d migration --size 4KiB --pair 0:-1", "write 0:1");
    check_refusal("--run-dir d migration --size 4KiB --pair 1024:0", "below 1024");
    CHECK_EQUAL(parse("--run-dir d migration --size 4KiB --pair 1023:0"), 0);
}

static void sizes_have_bounds(void)
{
    check_refusal("--run-dir d crpd --size 1023B", "not within 1KiB");
    CHECK_EQUAL(parse("--run-dir d crpd --size 1024B"), 0);
    CHECK_EQUAL(parse("--run-dir d crpd --size 64GiB"), 0);
    check_refusal("--run-dir d crpd --size 65GiB", "to 64GiB");
}

static const struct laxity_memory_latency_settings *memory(void)
{
    return request.plan.settings;
}

static void memory_latency_chases_in_ordinary_pages_of_any_node(void)
{
    CHECK_EQUAL(parse("--run-dir d memory_latency --size 64KiB"), 0);
    CHECK_EQUAL(memory()->sizes_bytes.items[0], 65536);
    CHECK(
        memory()->has_case[LAXITY_MEMORY_CASE_CHASE] && !memory()->has_case[LAXITY_MEMORY_CASE_READ]
    );
    CHECK_EQUAL(memory()->nodes.n, 0);
    CHECK_EQUAL(memory()->line_bytes, 64);
    CHECK(!memory()->has_pages[LAXITY_MEMORY_PAGES_HUGE]);
}

static void memory_latency_takes_nodes_cases_pages_and_lines(void)
{
    CHECK_EQUAL(
        parse("--run-dir d memory_latency --size 1MiB --size 4KiB --node 0 --node 1023 --case read "
              "--case stream_copy --pages huge --line 128B"),
        0
    );
    CHECK_EQUAL(memory()->sizes_bytes.n, 2);
    CHECK_EQUAL(memory()->nodes.n, 2);
    CHECK_EQUAL(memory()->nodes.items[1], 1023);
    CHECK(
        !memory()->has_case[LAXITY_MEMORY_CASE_CHASE] && memory()->has_case[LAXITY_MEMORY_CASE_READ]
    );
    CHECK(memory()->has_case[LAXITY_MEMORY_CASE_STREAM_COPY]);
    CHECK_EQUAL(memory()->line_bytes, 128);
    CHECK(memory()->has_pages[LAXITY_MEMORY_PAGES_HUGE]);
}

static void memory_latency_refuses_what_it_cannot_do(void)
{
    check_refusal("--run-dir d memory_latency", "add --size 64KiB");
    check_refusal(
        "--run-dir d memory_latency --size 4KiB --node 1024", "no number from 0 to 1023; write 0"
    );
    check_refusal(
        "--run-dir d memory_latency --size 4KiB --node x", "no number from 0 to 1023; write 0"
    );
    check_refusal("--run-dir d memory_latency --size 4KiB --line 96B", "not a power of two");
    check_refusal("--run-dir d memory_latency --size 4KiB --line 8B", "out of range");
    check_refusal("--run-dir d memory_latency --size 4KiB --line 2KiB", "out of range");
    check_refusal("--run-dir d memory_latency --size 17GiB", "not within 1KiB to 16GiB");
    check_refusal(
        "--run-dir d memory_latency --size 4KiB --pages huge --pages ordinary", "name one"
    );
}

int main(void)
{
    RUN(defaults_measure_the_plain_case);
    RUN(words_may_be_repeated);
    RUN(pairs_of_cpus_are_taken_in_their_order);
    RUN(pairs_that_are_none_are_refused);
    RUN(jobs_that_change_their_cpu_need_a_workload);
    RUN(bad_words_are_refused_with_what_to_do);
    RUN(ways_that_serve_nothing_are_refused);
    RUN(sizes_have_bounds);
    laxity_probe_options_free(&request);
    RUN(memory_latency_chases_in_ordinary_pages_of_any_node);
    RUN(memory_latency_takes_nodes_cases_pages_and_lines);
    RUN(memory_latency_refuses_what_it_cannot_do);
    return test_exit_code();
}

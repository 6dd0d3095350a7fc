/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/error.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "cli/run_options.h"
#include "harness/release.h"
#include "harness/segment.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    WORDS_MAX = 32
};

static struct laxity_run_request request;
static struct laxity_error error;

/* Words separated by blanks, as a shell would hand them over. */
static int parse(const char *line)
{
    static char text[512];
    char *argv[WORDS_MAX];
    int argc = 0;
    laxity_run_options_free(&request);
    error = (struct laxity_error){0};
    (void)snprintf(text, sizeof text, "%s", line);
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        argv[argc++] = word;
    }
    return laxity_run_options_parse(argc, argv, &request, &error);
}

static void defaults_are_those_of_the_design(void)
{
    CHECK_EQUAL(parse("--run-dir d -- x/mem -p 10ms"), 0);
    const struct laxity_task_config *task = &request.plan.tasks[0].config;
    CHECK_TEXT(task->process.name, "mem");
    CHECK_EQUAL(task->process.policy, LAXITY_POLICY_FIFO);
    CHECK_EQUAL(task->process.priority, 50);
    CHECK_EQUAL(task->deadline_ns, task->period_ns);
    CHECK_EQUAL(task->overrun, LAXITY_OVERRUN_SKIP);
    CHECK_EQUAL(task->job_timeout_ns, LAXITY_NS_PER_S); /* max(1 s, 20 * 10 ms = 200 ms) */
    CHECK_EQUAL(request.plan.snapshots, LAXITY_SNAPSHOTS_ALL);
    CHECK_EQUAL(request.plan.keep, LAXITY_KEEP_ALL);
    CHECK_EQUAL(request.plan.duration_ns, LAXITY_ABSENT_NS);
}

static void timeout_is_twenty_times_the_longer_of_deadline_and_period(void)
{
    CHECK_EQUAL(parse("--run-dir d -- mem -p 100ms -d 200ms --overrun queue"), 0);
    CHECK_EQUAL(request.plan.tasks[0].config.job_timeout_ns, INT64_C(4000000000)); /* 20 * 0.2 s */
}

static void corunner_is_no_task(void)
{
    CHECK_EQUAL(
        parse("--run-dir d -- mem -p 1ms --arg 64KiB -- bandwidth --corunner -c 0 --arg read --arg "
              "1MiB"),
        0
    );
    CHECK_EQUAL(request.plan.n_tasks, 1);
    CHECK_EQUAL(request.plan.n_corunners, 1);
    CHECK_EQUAL(request.plan.corunners[0].config.policy, LAXITY_POLICY_OTHER);
    CHECK_EQUAL(request.plan.corunners[0].words.n, 2);
    CHECK_TEXT(request.plan.corunners[0].words.items[1], "1MiB");
}

static void events_are_resolved_in_the_order_given(void)
{
    CHECK_EQUAL(parse("--run-dir d --event page-faults --event cycles -- mem -p 1ms"), 0);
    CHECK_EQUAL(request.plan.n_events, 2);
    CHECK_TEXT(request.plan.events[0].name, "page-faults");
    CHECK_TEXT(request.plan.events[1].platform_event, "PERF_COUNT_HW_CPU_CYCLES");
}

static void samples_are_taken_at_the_bucket_on_the_cpu_asked_for(void)
{
    CHECK_EQUAL(
        parse("--run-dir d --event cycles --sample-bucket 100us --sample-cpu 3 -- mem -p 1ms"), 0
    );
    CHECK_EQUAL(request.plan.sample_bucket_ns, 100000);
    CHECK_EQUAL(request.plan.sample_cpu, 3);
    CHECK_EQUAL(parse("--run-dir d --event cycles --sample-bucket 1ms -- mem -p 1ms"), 0);
    CHECK_EQUAL(request.plan.sample_cpu, -1);
}

static void check_refusal(const char *line, const char *part)
{
    CHECK_EQUAL(parse(line), -1);
    CHECK_EQUAL(error.exit_code, 2);
    if (!strstr(error.text, part)) {
        test_fail(__FILE__, __LINE__, "\"%s\" lacks \"%s\"", error.text, part);
    }
}

static void bad_words_are_refused_with_what_to_do(void)
{
    check_refusal("--run-dir d -- mem -p 0ms", "below 1us");
    check_refusal("--run-dir d -- mem -p 999ns", "below 1us");
    check_refusal("--run-dir d -- mem -p 10", "10s or 500us");
    check_refusal("--run-dir d -- mem", "no period");
    check_refusal("--run-dir d -- mem -p 1ms -d 2ms", "--overrun queue");
    check_refusal(
        "--run-dir d --event cycles -- m -p 1ms --threads 2",
        "task \"m\" has 2 threads and only its main one is counted"
    );
    check_refusal("--run-dir d --event cylces -- mem -p 1ms", "did you mean cycles?");
    check_refusal("--run-dir d --event cycles --sample-bucket 900ns -- m -p 1ms", "out of range");
    check_refusal("--run-dir d --sample-bucket 1ms -- m -p 1ms", "add --event NAME");
    check_refusal("--run-dir d --event cycles --sample-cpu 1 -- m -p 1ms", "add --sample-bucket");
    check_refusal(
        "--run-dir d --event cycles --sample-bucket 1ms --sample-cpu 0-1 -- m -p 1ms", "one number"
    );
    check_refusal("--run-dir d --snapshots cpu --event cycles -- mem -p 1ms", "--snapshots all");
    check_refusal("--run-dir d -- mem -p 1ms -d 0ms", "deadline 0");
    check_refusal("--run-dir d -- mem -p 1ms -f 0", "out of range");
    check_refusal("--run-dir d -- mem -p 1ms -f 100", "out of range");
    check_refusal(
        "--run-dir d -- mem -p 1ms --perod 3", "unknown option --perod; did you mean --period?"
    );
    check_refusal("--run-dir d -- mem -p 1ms 64KiB", "--arg");
    check_refusal("--run-dir d -- mem -p", "needs a value");
    check_refusal("--run-dir d -- mem -p 1ms --policy batch", "other fifo rr");
    check_refusal("--run-dir d --keep tail:0 -- mem -p 1ms", "tail:N");
    check_refusal("--run-dir d", "no task");
    check_refusal("-- mem -p 1ms", "no --run-dir");
    check_refusal("--run-dir d -- ", "no workload");
}

static void smallest_period_is_one_microsecond(void)
{
    CHECK_EQUAL(parse("--run-dir d -- mem -p 1000ns"), 0);
    CHECK_EQUAL(request.plan.tasks[0].config.period_ns, 1000);
}

static void deadline_may_be_none(void)
{
    CHECK_EQUAL(parse("--run-dir d -- mem -p 1ms -d none"), 0);
    CHECK_EQUAL(request.plan.tasks[0].config.deadline_ns, LAXITY_ABSENT_NS);
}

static void deadline_policy_reserves_its_runtime_in_each_period(void)
{
    CHECK_EQUAL(parse("--run-dir d -- mem -p 5ms -d 4ms --policy deadline --runtime 1ms"), 0);
    const struct laxity_process_config *config = &request.plan.tasks[0].config.process;
    CHECK_EQUAL(config->policy, LAXITY_POLICY_DEADLINE);
    CHECK_EQUAL(config->reservation.runtime_ns, 1000000);
    CHECK_EQUAL(config->reservation.deadline_ns, 4000000);
    CHECK_EQUAL(config->reservation.period_ns, 5000000);
    /* The kernel knows no deadline beyond the period, and needs one. */
    CHECK_EQUAL(
        parse("--run-dir d -- mem -p 5ms -d 9ms --overrun queue --policy deadline --runtime 1ms"), 0
    );
    CHECK_EQUAL(request.plan.tasks[0].config.process.reservation.deadline_ns, 5000000);
    CHECK_EQUAL(parse("--run-dir d -- mem -p 5ms -d none --policy deadline --runtime 1ms"), 0);
    CHECK_EQUAL(request.plan.tasks[0].config.process.reservation.deadline_ns, 5000000);
}

static void deadline_policy_that_cannot_be_is_refused(void)
{
    check_refusal("--run-dir d -- mem -p 5ms --policy deadline", "needs --runtime");
    check_refusal("--run-dir d -- mem -p 5ms --runtime 1ms", "needs --policy deadline");
    check_refusal(
        "--run-dir d -- mem -p 5ms --policy deadline --runtime 1ms --threads 2", "one thread"
    );
    check_refusal(
        "--run-dir d -- mem -p 5ms --policy deadline --runtime 1ms -f 50", "has no priority"
    );
    check_refusal("--run-dir d -- mem -p 5ms --policy deadline --runtime 1023ns", "below 1024 ns");
    check_refusal(
        "--run-dir d -- mem -p 5ms -d 2ms --policy deadline --runtime 2001us",
        "runtime 2001000 ns is longer than the deadline, 2000000 ns"
    );
    CHECK_EQUAL(parse("--run-dir d -- mem -p 5ms -d 2ms --policy deadline --runtime 2ms"), 0);
    check_refusal(
        "--run-dir d -- mem -p 5ms -- mem --corunner --policy deadline --runtime 1ms",
        "a co-runner has no period"
    );
}

static void own_program_is_the_first_word_of_the_relay(void)
{
    CHECK_EQUAL(parse("--run-dir d -- ./prog -p 5ms --program --arg a --name control"), 0);
    const struct laxity_task_plan *plan = &request.plan.tasks[0];
    CHECK_EQUAL(plan->config.is_own_program, 1);
    CHECK_TEXT(plan->path, "/proc/self/exe");
    CHECK_EQUAL(plan->words.n, 2);
    CHECK_TEXT(plan->words.items[0], "./prog");
    CHECK_TEXT(plan->words.items[1], "a");
    CHECK_TEXT(plan->config.process.name, "control");
    CHECK_EQUAL(parse("--run-dir d -- ./prog -p 5ms --program"), 0);
    CHECK_TEXT(request.plan.tasks[0].config.process.name, "prog");
}

static void what_the_harness_does_in_a_workload_is_refused_for_an_own_program(void)
{
    check_refusal("--run-dir d -- ./p -p 5ms --program -m 1MiB", "--program: --memory-limit");
    check_refusal("--run-dir d -- ./p -p 5ms --program --threads 2", "--program: --threads");
    check_refusal("--run-dir d -- ./p -p 5ms --program --stack 1MiB", "--program: --stack");
    check_refusal("--run-dir d -- ./p --program --corunner", "--program: --corunner");
    check_refusal("--run-dir d --launcher qemu -- ./p -p 5ms --program", "--program: --launcher");
    check_refusal("--run-dir d --event cycles -- ./p -p 5ms --program", "a program of its own");
}

int main(void)
{
    RUN(defaults_are_those_of_the_design);
    RUN(timeout_is_twenty_times_the_longer_of_deadline_and_period);
    RUN(corunner_is_no_task);
    RUN(events_are_resolved_in_the_order_given);
    RUN(samples_are_taken_at_the_bucket_on_the_cpu_asked_for);
    RUN(bad_words_are_refused_with_what_to_do);
    RUN(smallest_period_is_one_microsecond);
    RUN(deadline_may_be_none);
    RUN(deadline_policy_reserves_its_runtime_in_each_period);
    RUN(deadline_policy_that_cannot_be_is_refused);
    RUN(own_program_is_the_first_word_of_the_relay);
    RUN(what_the_harness_does_in_a_workload_is_refused_for_an_own_program);
    laxity_run_options_free(&request);
    return test_exit_code();
}

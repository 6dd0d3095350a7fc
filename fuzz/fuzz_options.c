/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The command lines of laxity-run and laxity-probe: one word per line of the input. */
#include "base/error.h"
#include "base/port/time.h"
#include "cli/probe_options.h"
#include "cli/run_options.h"
#include "harness/plan.h"
#include "harness/release.h"
#include "harness/segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_LIMIT = 4096,
    WORDS_MAX = 256,
    PERIOD_MIN_NS = 1000
};

static void require(const bool holds)
{
    if (!holds) {
        abort();
    }
}

static int split_lines(char *text, char **out_words)
{
    int n = 0;
    char *rest = text;
    while (rest && n < WORDS_MAX) {
        out_words[n++] = rest;
        rest = strchr(rest, '\n');
        if (rest) {
            *rest++ = '\0';
        }
    }
    return n;
}

/* What the rest of the program relies on after a successful parse. */
static void check_plan(const struct laxity_run_plan *plan)
{
    require(plan->n_tasks >= 1 && plan->n_tasks + plan->n_corunners <= LAXITY_PROCESSES_MAX);
    require(plan->run_dir != NULL);
    require(plan->keep != LAXITY_KEEP_TAIL || plan->keep_rows > 0);
    for (unsigned i = 0; i < plan->n_tasks; i++) {
        const struct laxity_task_config *config = &plan->tasks[i].config;
        require(config->period_ns >= PERIOD_MIN_NS && config->offset_ns >= 0);
        require(config->job_timeout_ns >= LAXITY_NS_PER_MS);
        require(config->process.priority >= 1 && config->process.priority <= 99);
        require(config->deadline_ns > 0 || config->deadline_ns == LAXITY_ABSENT_NS);
        require(config->memory_limit_bytes <= UINT64_C(1) << 40);
        require(
            config->deadline_ns <= config->period_ns || config->overrun == LAXITY_OVERRUN_QUEUE
        );
    }
}

static void try_probe(int n, char **words)
{
    static struct laxity_probe_request request;
    struct laxity_error error = {0};
    if (laxity_probe_options_parse(n, words, &request, &error) == 0) {
        require(error.exit_code == 0 && request.settings != NULL);
        require(request.plan.priority >= 1 && request.plan.priority < 99);
    } else {
        require(error.exit_code != 0 && error.text[0] != '\0');
    }
    laxity_probe_options_free(&request);
}

/* NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* NOLINTNEXTLINE(readability-identifier-naming) */
int LLVMFuzzerTestOneInput(const uint8_t *const data, const size_t size)
{
    static char text[TEXT_LIMIT];
    static char *words[WORDS_MAX];
    static struct laxity_run_request request;
    if (size >= sizeof text) {
        return -1;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    struct laxity_error error = {0};
    const int n = split_lines(text, words);
    if (laxity_run_options_parse(n, words, &request, &error) == 0) {
        require(error.exit_code == 0);
        if (!request.recover_dir) {
            check_plan(&request.plan);
        }
    } else {
        require(error.exit_code == LAXITY_EXIT_USAGE && error.text[0] != '\0');
    }
    laxity_run_options_free(&request);
    try_probe(n, words);
    return 0;
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/cpus.h"
#include "base/error.h"
#include "cli/probe_options.h"
#include "schema/probes.h"
#include "schema/streams.h"

#include <stdio.h>
#include <string.h>

enum {
    WORDS_MAX = 32,
    LINE_BYTES = 256
};

static struct laxity_probe_request request;
static const struct laxity_switch_settings *settings;
static struct laxity_error error;

/* Words separated by blanks, as a shell would hand them over, behind those of every probe. */
static void parse(const char *line)
{
    static char text[LINE_BYTES];
    char *words[WORDS_MAX];
    int n = 0;
    char *rest = text;
    (void)snprintf(text, sizeof text, "--run-dir d switch %s", line);
    for (char *word = strsep(&rest, " "); word && n < WORDS_MAX; word = strsep(&rest, " ")) {
        if (*word != '\0') {
            words[n++] = word;
        }
    }
    laxity_probe_options_free(&request);
    memset(&error, 0, sizeof error);
    settings = laxity_probe_options_parse(n, words, &request, &error) ? NULL : request.settings;
}

static void defaults_observe_preemptions(void)
{
    parse("");
    CHECK(settings != NULL);
    if (!settings) {
        return;
    }
    CHECK(settings->has_quantity[LAXITY_SWITCH_QUANTITY_PREEMPTION]);
    CHECK(!settings->has_quantity[LAXITY_SWITCH_QUANTITY_SYNC]);
    CHECK_EQUAL(settings->evict_bytes, 4194304);
    CHECK_EQUAL(settings->spin_ns, 2000000000);
    CHECK(!laxity_cpus_is_empty(&settings->to));
}

static void quantities_may_be_repeated(void)
{
    parse("--quantity wakeup --quantity spin --quantity kernel --to 3 --spin 40ms --evict-size 1MiB"
    );
    CHECK(settings != NULL);
    if (!settings) {
        return;
    }
    CHECK(settings->has_quantity[LAXITY_SWITCH_QUANTITY_WAKEUP]);
    CHECK(settings->has_quantity[LAXITY_SWITCH_QUANTITY_SPIN]);
    CHECK(settings->has_quantity[LAXITY_SWITCH_QUANTITY_KERNEL]);
    CHECK(!settings->has_quantity[LAXITY_SWITCH_QUANTITY_PREEMPTION]);
    CHECK(laxity_cpus_has(&settings->to, 3) && laxity_cpus_count(&settings->to) == 1);
    CHECK_EQUAL(settings->spin_ns, 40000000);
    CHECK_EQUAL(settings->evict_bytes, 1048576);
}

static void check_refusal(const char *line, const char *part)
{
    parse(line);
    CHECK(settings == NULL);
    CHECK_EQUAL(error.exit_code, LAXITY_EXIT_USAGE);
    if (!strstr(error.text, part)) {
        test_fail(__FILE__, __LINE__, "\"%s\": \"%s\" lacks \"%s\"", line, error.text, part);
    }
}

static void bad_words_are_refused_with_what_to_do(void)
{
    check_refusal("--quantity swich", "unknown value \"swich\"");
    check_refusal("--evict-size 1023B", "out of range");
    check_refusal("--spin 999us", "out of range");
    check_refusal("--spin 1", "--spin");
    check_refusal("more", "unexpected word");
}

int main(void)
{
    RUN(defaults_observe_preemptions);
    RUN(quantities_may_be_repeated);
    RUN(bad_words_are_refused_with_what_to_do);
    laxity_probe_options_free(&request);
    return test_exit_code();
}

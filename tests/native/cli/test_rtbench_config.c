/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/error.h"
#include "cli/rtbench_config.h"

#include <stdio.h>
#include <string.h>

enum {
    TEXT_BYTES = 512
};

static struct laxity_error error;
/* "name=value;" of every member */
static char taken[TEXT_BYTES];

static int take(void *context, const char *name, const char *value, struct laxity_error *refusal)
{
    (void)context;
    if (strcmp(name, "bad") == 0) {
        laxity_error_set(refusal, LAXITY_EXIT_USAGE, "bad is bad");
        return -1;
    }
    const size_t used = strlen(taken);
    (void)snprintf(taken + used, sizeof taken - used, "%s=%s;", name, value);
    return 0;
}

static int parse(const char *json)
{
    static char text[TEXT_BYTES];
    error = (struct laxity_error){0};
    taken[0] = '\0';
    (void)snprintf(text, sizeof text, "%s", json);
    return laxity_rtbench_config_parse(text, strlen(text), take, NULL, &error);
}

static void members_come_in_their_order(void)
{
    /* The example of RT-Bench's documentation, in short. */
    CHECK_EQUAL(
        parse("{\n\t\"deadline\": 1,\n\t\"period\": 1e-3,\n\t\"mem-limit\": \"0\",\"bmark-args\":"
              "\".\"\n}\n"),
        0
    );
    CHECK_TEXT(taken, "deadline=1;period=1e-3;mem-limit=0;bmark-args=.;");
}

static void empty_object_has_no_member(void)
{
    CHECK_EQUAL(parse(" { } "), 0);
    CHECK_TEXT(taken, "");
}

static void number_at_the_very_end_of_the_object_is_whole(void)
{
    CHECK_EQUAL(parse("{\"a\":12}"), 0);
    CHECK_TEXT(taken, "a=12;");
    CHECK_EQUAL(parse("{\"a\":12,\"b\":-3}"), 0);
    CHECK_TEXT(taken, "a=12;b=-3;");
}

static void escapes_are_resolved(void)
{
    /* U+00E9 is c3 a9 in UTF-8, U+20AC is e2 82 ac */
    CHECK_EQUAL(parse("{\"a\":\"x\\\"y\\\\z\\/\\t\\u0041\\u00e9\\u20AC\"}"), 0);
    CHECK_TEXT(taken, "a=x\"y\\z/\tA\xc3\xa9\xe2\x82\xac;");
}

static void check_refusal(const char *json, const char *part)
{
    CHECK_EQUAL(parse(json), -1);
    CHECK_EQUAL(error.exit_code, 2);
    if (!strstr(error.text, part)) {
        test_fail(__FILE__, __LINE__, "\"%s\" lacks \"%s\"", error.text, part);
    }
}

static void what_is_no_flat_object_is_refused_with_its_line(void)
{
    check_refusal("", "line 1: no JSON object");
    check_refusal("[]", "no JSON object");
    check_refusal("{", "no name in quotes");
    check_refusal("{\n\"a\": 1,\n}", "line 3: no name in quotes");
    check_refusal("{\"a\" 1}", "no colon");
    check_refusal("{\"a\":}", "neither text nor number");
    check_refusal("{\"a\":true}", "neither text nor number");
    check_refusal("{\"a\":{\"b\":1}}", "neither text nor number");
    check_refusal("{\"a\":1 \"b\":2}", "no comma");
    check_refusal("{\"a\":1", "no comma");
    check_refusal("{\"a\":1} x", "something after");
    check_refusal("{\"a", "does not end");
    check_refusal("{\"a\":\"b\n\"}", "does not end on its line");
    check_refusal("{\"a\":\"\\x\"}", "unknown escape");
    check_refusal("{\"a\":\"\\u00g0\"}", "hexadecimal");
    check_refusal("{\"a\":\"\\u0000\"}", "no option can hold");
    check_refusal("{\"a\":\"\\ud800\"}", "no option can hold");
}

static void refusal_of_a_member_ends_the_reading(void)
{
    check_refusal("{\"a\":1,\"bad\":2,\"c\":3}", "bad is bad");
    CHECK_TEXT(taken, "a=1;");
}

static void file_that_is_not_there_is_named(void)
{
    error = (struct laxity_error){0};
    CHECK_EQUAL(laxity_rtbench_config_read("/nowhere/a.json", take, NULL, &error), -1);
    CHECK_EQUAL(error.exit_code, 2);
    CHECK_TEXT(error.text, "-g /nowhere/a.json: No such file or directory; correct the path");
}

int main(void)
{
    RUN(members_come_in_their_order);
    RUN(empty_object_has_no_member);
    RUN(number_at_the_very_end_of_the_object_is_whole);
    RUN(escapes_are_resolved);
    RUN(what_is_no_flat_object_is_refused_with_its_line);
    RUN(refusal_of_a_member_ends_the_reading);
    RUN(file_that_is_not_there_is_named);
    return test_exit_code();
}

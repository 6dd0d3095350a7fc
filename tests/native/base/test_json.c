/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/json.h"

static void commas_stand_between_members_only(void)
{
    struct laxity_json json = {0};
    laxity_json_open(&json, NULL, '{');
    laxity_json_int(&json, "a", -1);
    laxity_json_open(&json, "b", '[');
    laxity_json_close(&json, ']');
    laxity_json_open(&json, "c", '[');
    laxity_json_count(&json, NULL, UINT64_MAX);
    laxity_json_bool(&json, NULL, true);
    laxity_json_null(&json, NULL);
    laxity_json_close(&json, ']');
    laxity_json_close(&json, '}');
    CHECK_TEXT(json.text, "{\"a\": -1, \"b\": [], \"c\": [18446744073709551615, true, null]}");
    laxity_json_free(&json);
}

static void text_is_escaped(void)
{
    struct laxity_json json = {0};
    laxity_json_text(&json, NULL, "a\"b\\c\n\x01 \xc3\xa4");
    CHECK_TEXT(json.text, "\"a\\\"b\\\\c\\u000a\\u0001 \xc3\xa4\"");
    laxity_json_free(&json);
}

static void bytes_that_are_no_utf8_become_question_marks(void)
{
    struct laxity_json json = {0};
    /* A lone continuation, a cut sequence, an overlong slash, a surrogate half (3 bytes, none
     * valid). */
    laxity_json_text(&json, NULL, "\x80|\xc3|\xc0\xaf|\xed\xa0\x80");
    CHECK_TEXT(json.text, "\"?|?|??|???\"");
    laxity_json_free(&json);
}

int main(void)
{
    RUN(commas_stand_between_members_only);
    RUN(text_is_escaped);
    RUN(bytes_that_are_no_utf8_become_question_marks);
    return test_exit_code();
}

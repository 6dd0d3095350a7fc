/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/json.h"
#include "base/port/time.h"
#include "harness/plan.h"
#include "schema/run.h"

#include <laxity/units.h>

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHOICE_BYTES = 32,
    HELP_COLUMN = 34,
    HELP_BYTES = 96
};

static int choice_index(const char *choices, const char *text)
{
    const size_t length = strlen(text);
    int index = 0;
    for (const char *rest = choices; *rest != '\0'; index++) {
        const size_t word = strcspn(rest, " ");
        if (word == length && memcmp(rest, text, word) == 0) {
            return index;
        }
        rest += word;
        rest += *rest == ' ';
    }
    return -1;
}

static int parse_keep(const char *text, struct laxity_keep_value *out_keep)
{
    if (strcmp(text, "all") == 0 || strcmp(text, "misses") == 0) {
        out_keep->keep = text[0] == 'a' ? LAXITY_KEEP_ALL : LAXITY_KEEP_MISSES;
        return 0;
    }
    if (strncmp(text, "tail:", 5) != 0) {
        return -EINVAL;
    }
    out_keep->keep = LAXITY_KEEP_TAIL;
    return laxity_parse_count(text + 5, 1, INT64_MAX, &out_keep->rows);
}

static int append_word(struct laxity_words *words, char *word)
{
    char **longer = (char **)realloc((void *)words->items, (words->n + 1) * sizeof *longer);
    if (!longer) {
        return -ENOMEM;
    }
    longer[words->n] = word;
    words->items = longer;
    words->n++;
    return 0;
}

static int parse_duration(const struct laxity_option *option, const char *text, int64_t *out_ns)
{
    if (option->has_none && strcmp(text, "none") == 0) {
        *out_ns = LAXITY_ABSENT_NS;
        return 0;
    }
    int64_t value_ns = 0;
    const int rc = laxity_parse_ns(text, &value_ns);
    if (rc) {
        return rc;
    }
    if (value_ns < option->low || value_ns > option->high) {
        return -ERANGE;
    }
    *out_ns = value_ns;
    return 0;
}

static int parse_choice(const struct laxity_option *option, const char *text, int *out_choice)
{
    const int index = choice_index(option->choices, text);
    if (index < 0) {
        return -EINVAL;
    }
    *out_choice = index;
    return 0;
}

static int parse_size(const struct laxity_option *option, const char *text, uint64_t *out_bytes)
{
    uint64_t bytes = 0;
    const int rc = laxity_parse_bytes(text, &bytes);
    if (rc) {
        return rc;
    }
    if (bytes < (uint64_t)option->low || bytes > (uint64_t)option->high) {
        return -ERANGE;
    }
    *out_bytes = bytes;
    return 0;
}

static int store_value(const struct laxity_option *option, char *text, void *target)
{
    void *place = (char *)target + option->offset;
    switch (option->kind) {
    case LAXITY_OPTION_FLAG:
        *(bool *)place = true;
        return 0;
    case LAXITY_OPTION_DURATION:
        return parse_duration(option, text, place);
    case LAXITY_OPTION_SIZE:
        return parse_size(option, text, place);
    case LAXITY_OPTION_COUNT:
        return laxity_parse_count(text, (uint64_t)option->low, (uint64_t)option->high, place);
    case LAXITY_OPTION_CHOICE:
        return parse_choice(option, text, place);
    case LAXITY_OPTION_TEXT:
        *(const char **)place = text;
        return 0;
    case LAXITY_OPTION_CPUS:
        return laxity_cpus_parse(text, place);
    case LAXITY_OPTION_WORD:
        return append_word(place, text);
    case LAXITY_OPTION_KEEP:
        return parse_keep(text, place);
    }
    return -EINVAL;
}

static const struct laxity_option *
find_option(const struct laxity_option_table *table, const char *word)
{
    for (unsigned i = 0; i < table->n; i++) {
        const struct laxity_option *option = &table->options[i];
        const bool is_letter =
            option->letter != '\0' && word[1] == option->letter && word[2] == '\0';
        if (is_letter || strcmp(word, option->name) == 0) {
            return option;
        }
    }
    return NULL;
}

/* How many letters differ at the same or a neighbouring place: enough to find a slip of the finger.
 */
static unsigned distance(const char *left, const char *right)
{
    const size_t left_bytes = strlen(left);
    const size_t right_bytes = strlen(right);
    size_t common = 0;
    size_t j = 0;
    for (size_t i = 0; i < left_bytes; i++) {
        const char *found = j < right_bytes ? strchr(right + j, left[i]) : NULL;
        if (found && (size_t)(found - (right + j)) <= 1) {
            common++;
            j = (size_t)(found - right) + 1;
        }
    }
    const size_t longest = left_bytes > right_bytes ? left_bytes : right_bytes;
    return (unsigned)(longest - common);
}

static void
refuse_option(const struct laxity_option_table *table, const char *word, struct laxity_error *error)
{
    enum {
        NEAR = 3
    };
    const struct laxity_option *nearest = NULL;
    unsigned least = NEAR;
    for (unsigned i = 0; i < table->n; i++) {
        const unsigned apart = distance(word, table->options[i].name);
        if (apart < least) {
            least = apart;
            nearest = &table->options[i];
        }
    }
    if (nearest) {
        laxity_error_set(
            error, LAXITY_EXIT_USAGE, "unknown option %.60s; did you mean %s?", word, nearest->name
        );
    } else {
        laxity_error_set(error, LAXITY_EXIT_USAGE, "unknown option %.60s; see --help", word);
    }
}

static void refuse_value(
    const struct laxity_option *option, const char *text, int rc, struct laxity_error *error
)
{
    if (option->kind == LAXITY_OPTION_CHOICE) {
        laxity_error_set(
            error,
            LAXITY_EXIT_USAGE,
            "%s %.60s: not one of: %s",
            option->name,
            text,
            option->choices
        );
        return;
    }
    const char *hint = "see --help";
    if (option->kind == LAXITY_OPTION_DURATION) {
        hint = "write a number and a unit, as in 10s or 500us";
    } else if (option->kind == LAXITY_OPTION_SIZE) {
        hint = "write a number and a unit, as in 64KiB";
    } else if (option->kind == LAXITY_OPTION_CPUS) {
        hint = "write CPU numbers, as in 0-1,3";
    } else if (option->kind == LAXITY_OPTION_KEEP) {
        hint = "write all, misses or tail:N";
    }
    laxity_error_set(
        error,
        LAXITY_EXIT_USAGE,
        "%s %.60s: %s; %s",
        option->name,
        text,
        rc == -ERANGE ? "out of range" : "not understood",
        hint
    );
}

int laxity_options_parse(
    const struct laxity_option_table *table,
    int argc,
    char **argv,
    void *target,
    struct laxity_error *error
)
{
    int i = 0;
    while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0) {
        const struct laxity_option *option = find_option(table, argv[i]);
        if (!option) {
            refuse_option(table, argv[i], error);
            return -1;
        }
        const bool needs_value = option->kind != LAXITY_OPTION_FLAG;
        if (needs_value && i + 1 >= argc) {
            return laxity_refuse(
                error, LAXITY_EXIT_USAGE, "%s needs a value: %s", option->name, option->metavar
            );
        }
        char *text = needs_value ? argv[i + 1] : NULL;
        const int rc = store_value(option, text, target);
        if (rc) {
            refuse_value(option, text ? text : "", rc, error);
            return -1;
        }
        i += needs_value ? 2 : 1;
    }
    return i;
}

void laxity_options_free_words(const struct laxity_option_table *table, void *target)
{
    for (unsigned i = 0; i < table->n; i++) {
        const struct laxity_option *option = &table->options[i];
        if (option->kind == LAXITY_OPTION_WORD) {
            struct laxity_words *words = (void *)((char *)target + option->offset);
            free((void *)words->items);
            *words = (struct laxity_words){0};
        }
    }
}

void laxity_options_print_help(const struct laxity_tool *tool)
{
    (void)printf("Usage: %s\n\n%s\n", tool->usage, tool->summary);
    for (unsigned t = 0; t < tool->n_tables; t++) {
        const struct laxity_option_table *table = tool->tables[t];
        (void)printf("\n%s:\n", table->title);
        for (unsigned i = 0; i < table->n; i++) {
            const struct laxity_option *option = &table->options[i];
            char left[HELP_BYTES];
            char letter[] = "    ";
            if (option->letter != '\0') {
                laxity_format(letter, sizeof letter, "-%c,", option->letter);
            }
            const char *metavar = option->choices ? option->choices : option->metavar;
            laxity_format(
                left, sizeof left, "  %-3s %s %s", letter, option->name, metavar ? metavar : ""
            );
            (void)printf("%-*s %s", HELP_COLUMN, left, option->help);
            if (option->default_text) {
                (void)printf(" [%s]", option->default_text);
            }
            (void)printf("\n");
        }
    }
}

static void text_or_null(struct laxity_json *json, const char *name, const char *text)
{
    if (text) {
        laxity_json_text(json, name, text);
    } else {
        laxity_json_null(json, name);
    }
}

void laxity_options_print_json(const struct laxity_tool *tool)
{
    struct laxity_json json = {0};
    laxity_json_open(&json, NULL, '{');
    laxity_json_text(&json, "tool", tool->name);
    laxity_json_text(&json, "usage", tool->usage);
    laxity_json_text(&json, "summary", tool->summary);
    laxity_json_open(&json, "groups", '[');
    for (unsigned t = 0; t < tool->n_tables; t++) {
        const struct laxity_option_table *table = tool->tables[t];
        laxity_json_open(&json, NULL, '{');
        laxity_json_text(&json, "title", table->title);
        laxity_json_open(&json, "options", '[');
        for (unsigned i = 0; i < table->n; i++) {
            const struct laxity_option *option = &table->options[i];
            const char letter[] = {'-', option->letter, '\0'};
            laxity_json_open(&json, NULL, '{');
            laxity_json_text(&json, "name", option->name);
            text_or_null(&json, "short", option->letter != '\0' ? letter : NULL);
            text_or_null(&json, "metavar", option->choices ? option->choices : option->metavar);
            text_or_null(&json, "default", option->default_text);
            laxity_json_text(&json, "help", option->help);
            laxity_json_close(&json, '}');
        }
        laxity_json_close(&json, ']');
        laxity_json_close(&json, '}');
    }
    laxity_json_close(&json, ']');
    laxity_json_close(&json, '}');
    if (!json.is_out_of_memory) {
        (void)puts(json.text);
    }
    laxity_json_free(&json);
}

bool laxity_options_answer(const struct laxity_tool *tool, const char *word)
{
    if (strcmp(word, "--version") == 0) {
        (void)printf("%s %s\n", tool->name, LAXITY_VERSION);
    } else if (strcmp(word, "--help") == 0) {
        laxity_options_print_help(tool);
    } else if (strcmp(word, "--help=json") == 0) {
        laxity_options_print_json(tool);
    } else {
        return false;
    }
    return true;
}

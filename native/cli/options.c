/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include "base/error.h"
#include "base/json.h"
#include "cli/option.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    HELP_COLUMN = 34,
    HELP_BYTES = 96
};

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
        const int rc = laxity_option_store(option, text, target);
        if (rc) {
            laxity_option_refuse(option, text ? text : "", rc, error);
            return -1;
        }
        i += needs_value ? 2 : 1;
    }
    return i;
}

int laxity_options_complete(
    const struct laxity_option_table *table, void *target, struct laxity_error *error
)
{
    for (unsigned i = 0; i < table->n; i++) {
        if (laxity_option_complete(&table->options[i], target, error)) {
            return -1;
        }
    }
    return 0;
}

void laxity_options_free(const struct laxity_option_table *table, void *target)
{
    for (unsigned i = 0; i < table->n; i++) {
        laxity_option_free(&table->options[i], target);
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
            const char *metavar = option->metavar ? option->metavar : option->choices;
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
            text_or_null(&json, "metavar", option->metavar ? option->metavar : option->choices);
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

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/option.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/lists.h"
#include "base/port/nodes.h"
#include "base/port/time.h"
#include "harness/plan.h"
#include "schema/run.h"

#include <laxity/units.h>

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    CPU_BYTES = 8
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

/* Two CPU numbers and nothing else: "0:1". */
static int parse_pair(const char *text, struct laxity_cpu_pair *out_pair)
{
    const char *colon = strchr(text, ':');
    char first[CPU_BYTES];
    uint64_t cpu = 0;
    uint64_t cpu_to = 0;
    if (!colon || (size_t)(colon - text) >= sizeof first) {
        return -EINVAL;
    }
    laxity_format(first, sizeof first, "%.*s", (int)(colon - text), text);
    if (laxity_parse_count(first, 0, LAXITY_CPUS_MAX - 1, &cpu) ||
        laxity_parse_count(colon + 1, 0, LAXITY_CPUS_MAX - 1, &cpu_to) || cpu == cpu_to) {
        return -EINVAL;
    }
    const int node = laxity_node_of_cpu((unsigned)cpu);
    const int node_to = laxity_node_of_cpu((unsigned)cpu_to);
    *out_pair = (struct laxity_cpu_pair){
        .cpu = (uint32_t)cpu,
        .cpu_to = (uint32_t)cpu_to,
        .node = node < 0 ? INT32_MIN : node,
        .node_to = node_to < 0 ? INT32_MIN : node_to,
    };
    return 0;
}

static int append_number(struct laxity_numbers *numbers, uint64_t number)
{
    uint64_t *longer = reallocarray(numbers->items, numbers->n + 1, sizeof *longer);
    if (!longer) {
        return -ENOMEM;
    }
    longer[numbers->n] = number;
    *numbers = (struct laxity_numbers){longer, numbers->n + 1};
    return 0;
}

static int append_pair(struct laxity_cpu_pairs *pairs, const char *text)
{
    struct laxity_cpu_pair pair;
    if (parse_pair(text, &pair)) {
        return -EINVAL;
    }
    struct laxity_cpu_pair *longer = reallocarray(pairs->items, pairs->n + 1, sizeof *longer);
    if (!longer) {
        return -ENOMEM;
    }
    longer[pairs->n] = pair;
    *pairs = (struct laxity_cpu_pairs){longer, pairs->n + 1};
    return 0;
}

static bool is_list(const struct laxity_option *option)
{
    return option->kind == LAXITY_OPTION_SIZES || option->kind == LAXITY_OPTION_COUNTS ||
           option->kind == LAXITY_OPTION_CHOICES || option->kind == LAXITY_OPTION_PAIRS;
}

/* To a list of any kind. */
static int append(const struct laxity_option *option, const char *text, void *place)
{
    uint64_t number = 0;
    int choice = 0;
    int rc = 0;
    switch (option->kind) {
    case LAXITY_OPTION_SIZES:
        rc = parse_size(option, text, &number);
        return rc ? rc : append_number(place, number);
    case LAXITY_OPTION_COUNTS:
        rc = laxity_parse_count(text, (uint64_t)option->low, (uint64_t)option->high, &number);
        return rc ? rc : append_number(place, number);
    case LAXITY_OPTION_PAIRS:
        return append_pair(place, text);
    default:
        rc = parse_choice(option, text, &choice);
        if (rc == 0) {
            ((bool *)place)[choice] = true;
        }
        return rc;
    }
}

static bool is_empty(const struct laxity_option *option, const void *place)
{
    if (option->kind == LAXITY_OPTION_PAIRS) {
        return ((const struct laxity_cpu_pairs *)place)->n == 0;
    }
    if (option->kind != LAXITY_OPTION_CHOICES) {
        return ((const struct laxity_numbers *)place)->n == 0;
    }
    const bool *flag = place;
    for (const char *word = option->choices; word; word = strchr(word + 1, ' ')) {
        if (*flag++) {
            return false;
        }
    }
    return true;
}

int laxity_option_store(const struct laxity_option *option, char *text, void *target)
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
    case LAXITY_OPTION_SIZES:
    case LAXITY_OPTION_COUNTS:
    case LAXITY_OPTION_CHOICES:
    case LAXITY_OPTION_PAIRS:
        return append(option, text, place);
    }
    return -EINVAL;
}

static void refuse_item(
    const struct laxity_option *option, const char *text, int rc, struct laxity_error *error
)
{
    char low[LAXITY_BYTES_TEXT_BYTES];
    char high[LAXITY_BYTES_TEXT_BYTES];
    char what[LAXITY_ERROR_TEXT_BYTES] = "no size; write 64KiB";
    if (option->kind == LAXITY_OPTION_CHOICES) {
        laxity_error_set(
            error, LAXITY_EXIT_USAGE, "%s: unknown value \"%.60s\"; see --help", option->name, text
        );
        return;
    }
    if (option->kind == LAXITY_OPTION_PAIRS) {
        laxity_format(
            what, sizeof what, "not two different CPUs below %d; write 0:1", LAXITY_CPUS_MAX
        );
    } else if (option->kind == LAXITY_OPTION_COUNTS) {
        laxity_format(
            what,
            sizeof what,
            "no number from %" PRId64 " to %" PRId64 "; write %" PRId64,
            option->low,
            option->high,
            option->low
        );
    } else if (rc == -ERANGE) {
        laxity_format(
            what,
            sizeof what,
            "not within %s to %s; write 64KiB",
            laxity_format_bytes((uint64_t)option->low, low),
            laxity_format_bytes((uint64_t)option->high, high)
        );
    }
    laxity_error_set(error, LAXITY_EXIT_USAGE, "%s \"%.60s\": %.120s", option->name, text, what);
}

void laxity_option_refuse(
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
    if (is_list(option)) {
        refuse_item(option, text, rc, error);
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

int laxity_option_complete(
    const struct laxity_option *option, void *target, struct laxity_error *error
)
{
    void *place = (char *)target + option->offset;
    if (!is_list(option) || !is_empty(option, place)) {
        return 0;
    }
    if (option->needed) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "%s", option->needed);
    }
    if (option->initial && append(option, option->initial, place)) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "no memory for %s", option->name);
    }
    return 0;
}

void laxity_option_free(const struct laxity_option *option, void *target)
{
    void *place = (char *)target + option->offset;
    if (option->kind == LAXITY_OPTION_WORD) {
        struct laxity_words *words = place;
        free((void *)words->items);
        *words = (struct laxity_words){0};
    } else if (option->kind == LAXITY_OPTION_PAIRS) {
        struct laxity_cpu_pairs *pairs = place;
        free(pairs->items);
        *pairs = (struct laxity_cpu_pairs){0};
    } else if (option->kind == LAXITY_OPTION_SIZES || option->kind == LAXITY_OPTION_COUNTS) {
        struct laxity_numbers *numbers = place;
        free(numbers->items);
        *numbers = (struct laxity_numbers){0};
    }
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* laxity-probe memory_latency [OPTIONS] */
#include "base/error.h"
#include "base/port/nodes.h"
#include "cli/options.h"
#include "cli/probe_options.h"
#include "cli/probe_words.h"
#include "harness/plan.h"
#include "probes/memory_latency.h"

#include <laxity/units.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    LINE_DEFAULT_BYTES = 64,
};
/* Indices of a batch are words of 4 bytes, numbered in 32 bits. */
static const uint64_t size_max_bytes = UINT64_C(1) << 34;

struct memory_latency_options {
    struct laxity_words sizes;
    struct laxity_words nodes;
    struct laxity_words cases;
    struct laxity_words pages;
    struct laxity_words lines;
};

#define AT(member) .offset = offsetof(struct memory_latency_options, member)

static const struct laxity_option options[] = {
    {.name = "--size",
     .metavar = "SIZE",
     .kind = LAXITY_OPTION_WORD,
     AT(sizes),
     .help = "of an array; may be repeated"},
    {.name = "--node",
     .metavar = "N",
     .default_text = "wherever the kernel lets it lie",
     .kind = LAXITY_OPTION_WORD,
     AT(nodes),
     .help = "NUMA node of the array; may be repeated"},
    {.name = "--case",
     .metavar = "CASE",
     .default_text = "chase",
     .kind = LAXITY_OPTION_WORD,
     AT(cases),
     .help = "chase, read, write, stream_read, stream_write, stream_copy; may be repeated"},
    {.name = "--pages",
     .metavar = "KIND",
     .default_text = "ordinary",
     .kind = LAXITY_OPTION_WORD,
     AT(pages),
     .help = "ordinary, huge (transparent huge pages)"},
    {.name = "--line",
     .metavar = "SIZE",
     .default_text = "64B",
     .kind = LAXITY_OPTION_WORD,
     AT(lines),
     .help = "of a cache line: the chain has one element in each"},
};

static const struct laxity_option_table table = {
    "Options of memory_latency", options, sizeof options / sizeof options[0]
};

static int refuse(struct laxity_error *error, const char *option, const char *word, const char *why)
{
    return laxity_refuse(error, LAXITY_EXIT_USAGE, "%s \"%.60s\": %s", option, word, why);
}

static int take_nodes(
    const struct laxity_words *words,
    struct laxity_memory_settings *settings,
    struct laxity_error *error
)
{
    if (words->n == 0) {
        return 0;
    }
    settings->nodes = calloc(words->n, sizeof *settings->nodes);
    if (!settings->nodes) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "no memory for the list of nodes");
    }
    for (unsigned i = 0; i < words->n; i++) {
        uint64_t node = 0;
        if (laxity_parse_count(words->items[i], 0, LAXITY_NODES_MAX - 1, &node)) {
            return refuse(error, "--node", words->items[i], "no node; write 0");
        }
        settings->nodes[i] = (int32_t)node;
    }
    settings->n_nodes = words->n;
    return 0;
}

/* The last word holds, as of any option that is not repeated. */
static int take_line(
    const struct laxity_words *words,
    struct laxity_memory_settings *settings,
    struct laxity_error *error
)
{
    settings->line_bytes = LINE_DEFAULT_BYTES;
    if (words->n == 0) {
        return 0;
    }
    const char *word = words->items[words->n - 1];
    uint64_t bytes = 0;
    /* A power of two has one bit; others would put links across two lines. */
    if (laxity_parse_bytes(word, &bytes) || bytes < LAXITY_MEMORY_LINE_MIN_BYTES ||
        bytes > LAXITY_MEMORY_LINE_MAX_BYTES || (bytes & (bytes - 1)) != 0) {
        return refuse(error, "--line", word, "not a power of two from 16B to 1KiB; write 64B");
    }
    settings->line_bytes = bytes;
    return 0;
}

static int check_sizes(
    const struct laxity_words *words,
    const struct laxity_memory_settings *settings,
    struct laxity_error *error
)
{
    for (size_t i = 0; i < settings->n_sizes; i++) {
        if (settings->sizes_bytes[i] > size_max_bytes || settings->sizes_bytes[i] > SIZE_MAX / 4) {
            return refuse(error, "--size", words->items[i], "more than 16GiB or than fits here");
        }
    }
    return 0;
}

static int take_settings(const void *from, void *to, struct laxity_error *error)
{
    static const char *const cases[] = {
        "chase", "read", "write", "stream_read", "stream_write", "stream_copy", NULL
    };
    static const char *const pages[] = {"ordinary", "huge", NULL};
    const struct memory_latency_options *given = from;
    struct laxity_memory_settings *settings = to;
    bool has_pages[2] = {false, false};
    if (laxity_take_needed_sizes(
            "array", &given->sizes, &settings->sizes_bytes, &settings->n_sizes, error
        ) ||
        check_sizes(&given->sizes, settings, error) || take_nodes(&given->nodes, settings, error) ||
        laxity_take_choices("--case", &given->cases, cases, settings->has_case, error) ||
        laxity_take_choices("--pages", &given->pages, pages, has_pages, error) ||
        take_line(&given->lines, settings, error)) {
        return -1;
    }
    if (has_pages[0] && has_pages[1]) {
        return refuse(error, "--pages", "ordinary, huge", "one run measures one kind; name one");
    }
    settings->is_huge = has_pages[1];
    return 0;
}

static void free_members(void *settings)
{
    laxity_memory_settings_free(settings);
}

const struct laxity_probe_command laxity_memory_latency_command = {
    .probe = &laxity_probe_memory_latency,
    .table = &table,
    .given_bytes = sizeof(struct memory_latency_options),
    .settings_bytes = sizeof(struct laxity_memory_settings),
    .take = take_settings,
    .free_members = free_members,
};

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* laxity-facts: sends a host the files that describe this machine. Needs nothing but libc. */
#include "base/error.h"
#include "base/visible.h"
#include "cli/option.h"
#include "cli/options.h"
#include "facts/collect.h"

#include <stddef.h>
#include <string.h>

struct facts_options {
    const char *root;
};

static const struct laxity_option options[] = {
    {.name = "--root",
     .metavar = "DIR",
     .default_text = "/",
     .kind = LAXITY_OPTION_TEXT,
     .offset = offsetof(struct facts_options, root),
     .help = "read a copy of another machine's /proc and /sys; sends no values of this one"},
};
static const struct laxity_option_table table = {
    "Options", options, sizeof options / sizeof options[0]
};
static const struct laxity_option_table *const tables[] = {&table};
static const struct laxity_tool tool = {
    .name = "laxity-facts",
    .usage = "laxity-facts [OPTIONS] <REQUESTS >ANSWER",
    .summary = "Send the files and values that a host asks for; laxity doctor --on does.",
    .tables = tables,
    .n_tables = sizeof tables / sizeof tables[0],
};

static void collect(int argc, char **argv, struct laxity_error *error)
{
    struct facts_options given = {.root = ""};
    const int used = laxity_options_parse(&table, argc - 1, argv + 1, &given, error);
    if (used < 0) {
        return;
    }
    if (used + 1 < argc) {
        laxity_error_set(
            error, LAXITY_EXIT_USAGE, "unexpected word \"%.60s\"; see --help", argv[used + 1]
        );
        return;
    }
    const char *root = strcmp(given.root, "/") == 0 ? "" : given.root;
    (void)laxity_facts_collect(root, stdin, stdout, error);
}

int main(int argc, char **argv)
{
    if (argc == 2 && laxity_options_answer(&tool, argv[1])) {
        return LAXITY_EXIT_DONE;
    }
    struct laxity_error error = {0};
    collect(argc, argv, &error);
    if (error.exit_code != 0) {
        laxity_write_message("laxity-facts", error.text);
    }
    return error.exit_code;
}

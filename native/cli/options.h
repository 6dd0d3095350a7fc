/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * One table per tool: parser, --help, man page and completion are all made from it.
 *
 * An option is declared once, with its bounds; its value is stored at an offset of the tool's own
 * struct.
 */
#ifndef LAXITY_CLI_OPTIONS_H
#define LAXITY_CLI_OPTIONS_H

#include "base/error.h"
#include "cli/option.h"

#include <stdbool.h>

/* A group of options that fill one struct. */
struct laxity_option_table {
    const char *title;
    const struct laxity_option *options;
    unsigned n;
};

struct laxity_tool {
    const char *name;
    const char *usage;
    const char *summary;
    const struct laxity_option_table *const *tables;
    unsigned n_tables;
};

/*
 * laxity_options_parse - read argv[0..argc) into `target` by one table
 *
 * Stops at "--" or at the first word that is no option. Returns how many words were read, or -1
 * with error set (exit 2). What may be repeated is appended to arrays that the caller frees, or
 * laxity_options_free all of them.
 */
int laxity_options_parse(
    const struct laxity_option_table *table,
    int argc,
    char **argv,
    void *target,
    struct laxity_error *error
);

/*
 * laxity_options_complete - once all is read: the initial values of what may be repeated
 *
 * Returns 0, or -1 with error set (exit 2) where something is needed that was not given.
 */
int laxity_options_complete(
    const struct laxity_option_table *table, void *target, struct laxity_error *error
);

/* laxity_options_free - what every option of a table that may be repeated has allocated */
void laxity_options_free(const struct laxity_option_table *table, void *target);

/* laxity_options_print_help, laxity_options_print_json - the whole tool, to stdout */
void laxity_options_print_help(const struct laxity_tool *tool);
void laxity_options_print_json(const struct laxity_tool *tool);

/* laxity_options_answer - print what --version, --help or --help=json ask for; false: no such word
 */
bool laxity_options_answer(const struct laxity_tool *tool, const char *word);

#endif

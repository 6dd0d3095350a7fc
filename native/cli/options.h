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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum laxity_option_kind {
    LAXITY_OPTION_FLAG,     /* bool */
    LAXITY_OPTION_DURATION, /* int64_t, nanoseconds; within [low, high]; "none" allowed if has_none
                             */
    LAXITY_OPTION_SIZE,     /* uint64_t, bytes */
    LAXITY_OPTION_COUNT,    /* uint64_t */
    LAXITY_OPTION_CHOICE,   /* int, index into choices (blank-separated) */
    LAXITY_OPTION_TEXT,     /* const char * */
    LAXITY_OPTION_CPUS,     /* struct laxity_cpus */
    LAXITY_OPTION_WORD,     /* struct laxity_words: may be repeated */
    LAXITY_OPTION_KEEP,     /* struct laxity_keep_value: all, misses, tail:N */
};

struct laxity_option {
    const char *name;    /* with "--" */
    const char *metavar; /* NULL for a flag */
    const char *choices; /* of LAXITY_OPTION_CHOICE */
    const char *default_text;
    const char *help;
    enum laxity_option_kind kind;
    char letter; /* '\0' = none */
    char has_none;
    int64_t low;
    int64_t high;
    size_t offset;
};

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

struct laxity_keep_value {
    int keep; /* enum laxity_keep */
    uint64_t rows;
};

/*
 * laxity_options_parse - read argv[0..argc) into `target` by one table
 *
 * Stops at "--" or at the first word that is no option. Returns how many words were read, or -1
 * with error set (exit 2). Words of LAXITY_OPTION_WORD are appended to arrays that the caller
 * frees, or laxity_options_free_words all of them.
 */
int laxity_options_parse(
    const struct laxity_option_table *table,
    int argc,
    char **argv,
    void *target,
    struct laxity_error *error
);

/* laxity_options_free_words - of every option of a table that may be repeated */
void laxity_options_free_words(const struct laxity_option_table *table, void *target);

/* laxity_options_print_help, laxity_options_print_json - the whole tool, to stdout */
void laxity_options_print_help(const struct laxity_tool *tool);
void laxity_options_print_json(const struct laxity_tool *tool);

/* laxity_options_answer - print what --version, --help or --help=json ask for; false: no such word
 */
bool laxity_options_answer(const struct laxity_tool *tool, const char *word);

#endif

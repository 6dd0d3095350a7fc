/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* RT-Bench's command line, one word per line of the input; and, after a first byte '{', its
 * configuration file. */
#include "base/error.h"
#include "cli/rtbench_config.h"
#include "cli/rtbench_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_LIMIT = 4096,
    WORDS_MAX = 64,
    PERIOD_MIN_NS = 1000
};

static void require(const bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Every member is text that ends within the input. */
static int take(
    void *const context, const char *const name, const char *const value, struct laxity_error *error
)
{
    const size_t *const limit = context;
    (void)error;
    require(strlen(name) <= *limit && strlen(value) <= *limit);
    return 0;
}

static void fuzz_config(char *const text, size_t bytes)
{
    struct laxity_error error = {0};
    if (laxity_rtbench_config_parse(text, bytes, take, &bytes, &error)) {
        require(error.exit_code == LAXITY_EXIT_USAGE && error.text[0] != '\0');
    }
}

static void fuzz_words(char *const text)
{
    static char name[] = "empty";
    char *words[WORDS_MAX + 1] = {name};
    int n = 1;
    char *rest = text;
    while (rest && n < WORDS_MAX) {
        words[n++] = rest;
        rest = strchr(rest, '\n');
        if (rest) {
            *rest++ = '\0';
        }
    }
    struct laxity_rtbench_options options;
    struct laxity_error error = {0};
    if (laxity_rtbench_options_parse(n, words, &options, &error) == 0) {
        require(error.exit_code == 0);
        if (options.question == LAXITY_RTBENCH_RUN) {
            require(options.period_ns >= PERIOD_MIN_NS && options.csv_path);
            require(options.deadline_ns > 0 && options.deadline_ns <= options.period_ns);
            require(options.memory_limit_bytes <= UINT64_C(1) << 40);
        }
    } else {
        require(error.exit_code == LAXITY_EXIT_USAGE && error.text[0] != '\0');
    }
    laxity_rtbench_options_free(&options);
}

/* NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* NOLINTNEXTLINE(readability-identifier-naming) */
int LLVMFuzzerTestOneInput(const uint8_t *const data, const size_t size)
{
    static char text[TEXT_LIMIT];
    if (size >= sizeof text) {
        return -1;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (size > 0 && data[0] == '{') {
        fuzz_config(text, size);
    } else {
        fuzz_words(text);
    }
    return 0;
}

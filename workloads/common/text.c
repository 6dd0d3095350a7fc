/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "text.h"

#include "random.h"

#include <stddef.h>
#include <stdint.h>

enum {
    WORD_COUNT = 512,
    LONGEST_WORD = 10,
    LETTER_COUNT = 26,
    WORDS_PER_LINE = 12
};

struct word {
    char letters[LONGEST_WORD];
    size_t length;
};

void workload_make_text(char *const text, const size_t count, const uint64_t seed)
{
    struct word words[WORD_COUNT];
    uint64_t state = seed;
    size_t written = 0;

    for (size_t i = 0; i < WORD_COUNT; i++) {
        words[i].length = (size_t)(1 + workload_random_below(&state, LONGEST_WORD));
        for (size_t j = 0; j < words[i].length; j++) {
            words[i].letters[j] = (char)('a' + workload_random_below(&state, LETTER_COUNT));
        }
    }
    while (written < count) {
        /* A draw below a draw: the word at place i with a weight of about log(WORD_COUNT / i). */
        const struct word *const word =
            &words[workload_random_below(&state, 1 + workload_random_below(&state, WORD_COUNT))];

        for (size_t i = 0; i < word->length && written < count; i++) {
            text[written++] = word->letters[i];
        }
        if (written < count) {
            text[written++] = workload_random_below(&state, WORDS_PER_LINE) == 0 ? '\n' : ' ';
        }
    }
}

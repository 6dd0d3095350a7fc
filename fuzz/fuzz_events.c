/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Any text as the name of an event, ours or, where it is built in, libpfm4's. */
#include "base/error.h"
#include "counters/event.h"
#include "counters/events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_LIMIT = 256
};

/* NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(const bool holds)
{
    if (!holds) {
        abort();
    }
}

/* NOLINTNEXTLINE(readability-identifier-naming) */
int LLVMFuzzerTestOneInput(const uint8_t *const data, const size_t size)
{
    char text[TEXT_LIMIT];
    if (size >= sizeof text) {
        return -1;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    struct laxity_event event = {.name = ""};
    struct laxity_error error = {0};
    if (laxity_event_resolve(text, &event, &error) != 0) {
        require(error.exit_code == LAXITY_EXIT_USAGE && error.text[0] != '\0');
        require(event.name[0] == '\0');
        return 0;
    }
    /* What was accepted becomes the name of a column, and the header of a stream quotes it. */
    require(error.exit_code == 0 && strcmp(event.name, text) == 0);
    require(strpbrk(event.name, "'\\\n ") == NULL);
    require(memchr(event.platform_event, '\0', sizeof event.platform_event) != NULL);
    return 0;
}

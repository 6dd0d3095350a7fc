/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Any text as one line of a request: refused, or an absolute directory and a bounded size. */
#include "facts/request.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int is_true)
{
    if (!is_true) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *line = strndup((const char *)data, size);
    if (!line) {
        return 0;
    }
    struct laxity_facts_request request;
    if (laxity_facts_parse(line, &request) == 0 && request.kind != LAXITY_FACTS_PROCESS) {
        require(request.directory[0] == '/' || request.directory[0] == '\0');
        require(request.limit_bytes <= LAXITY_FACTS_LIMIT_MAX);
        while (request.names) {
            require(strchr(laxity_facts_next_name(&request.names), '\t') == NULL);
        }
    }
    free(line);
    return 0;
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "facts/request.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    DECIMAL = 10
};

const char *laxity_facts_next_name(char **names)
{
    char *name = *names;
    if (!name) {
        return NULL;
    }
    char *tab = strchr(name, '\t');
    if (tab) {
        *tab++ = '\0';
    }
    *names = tab;
    return name;
}

static int parse_limit(const char *word, size_t *out_bytes)
{
    if (word[0] < '0' || word[0] > '9') {
        return -EINVAL;
    }
    char *end = NULL;
    errno = 0;
    const unsigned long bytes = strtoul(word, &end, DECIMAL);
    if (errno != 0 || *end != '\0' || bytes > LAXITY_FACTS_LIMIT_MAX) {
        return -EINVAL;
    }
    *out_bytes = bytes;
    return 0;
}

/* Keys are absolute paths: what is read must be one, "" being the root. */
static int is_absolute(const char *path)
{
    return path && (path[0] == '/' || path[0] == '\0');
}

int laxity_facts_parse(char *line, struct laxity_facts_request *out_request)
{
    char *rest = line;
    const char *word = laxity_facts_next_name(&rest);
    if (strcmp(word, "process") == 0 && !rest) {
        *out_request = (struct laxity_facts_request){.kind = LAXITY_FACTS_PROCESS};
        return 0;
    }
    const char *directory = laxity_facts_next_name(&rest);
    if (!is_absolute(directory)) {
        return -EINVAL;
    }
    if (strcmp(word, "access") == 0 && !rest) {
        *out_request =
            (struct laxity_facts_request){.kind = LAXITY_FACTS_ACCESS, .directory = directory};
        return 0;
    }
    static const char read_word[] = "read ";
    size_t limit_bytes = 0;
    if (strncmp(word, read_word, sizeof read_word - 1) != 0 || !rest ||
        parse_limit(word + sizeof read_word - 1, &limit_bytes) != 0) {
        return -EINVAL;
    }
    *out_request = (struct laxity_facts_request){
        .kind = LAXITY_FACTS_READ,
        .limit_bytes = limit_bytes,
        .directory = directory,
        .names = rest,
    };
    return 0;
}

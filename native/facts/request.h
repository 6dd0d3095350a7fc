/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What a host asks for, line by line; the only list of what is collected is the host's
 * (laxity.platform.facts).
 *
 *   read LIMIT<TAB>DIRECTORY<TAB>NAME[<TAB>NAME]...   files, at most LIMIT bytes of each;
 *                                                     DIRECTORY may hold * and [...]
 *   access<TAB>PATH                                   what this process may do with it
 *   process                                           what this process is and may do
 */
#ifndef LAXITY_FACTS_REQUEST_H
#define LAXITY_FACTS_REQUEST_H

#include <stddef.h>

enum laxity_facts_kind {
    LAXITY_FACTS_READ,
    LAXITY_FACTS_ACCESS,
    LAXITY_FACTS_PROCESS
};

enum {
    /* The configuration of a kernel has 300 KiB; more than this no host needs. */
    LAXITY_FACTS_LIMIT_MAX = 16 * 1024 * 1024,
    /* Far above the longest line of the table. */
    LAXITY_FACTS_LINE_BYTES = 16 * 1024
};

struct laxity_facts_request {
    enum laxity_facts_kind kind;
    size_t limit_bytes;    /* of a read */
    const char *directory; /* of a read: absolute or "" for the root; of an access: the path */
    char *names;           /* of a read: the first name; laxity_facts_next_name finds the others */
};

/*
 * laxity_facts_parse - one line without its newline; it is cut into pieces, which the request
 * points to
 *
 * Returns 0, or -EINVAL for what is no request.
 */
int laxity_facts_parse(char *line, struct laxity_facts_request *out_request);

/* laxity_facts_next_name - take the next name off `*names`; NULL after the last */
const char *laxity_facts_next_name(char **names);

#endif

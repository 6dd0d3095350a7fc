/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/role.h"

#include "harness/segment.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OPTION_LENGTH = sizeof LAXITY_HARNESS_OPTION - 1
};

bool laxity_has_role(int argc, char *const *argv)
{
    return argc > 1 && strncmp(argv[1], LAXITY_HARNESS_OPTION, OPTION_LENGTH) == 0;
}

int laxity_parse_role(const char *word, struct laxity_role *out_role)
{
    const char *text = word + OPTION_LENGTH;
    long numbers[3];
    const char *rest = strchr(text, ',');
    for (unsigned i = 0; i < 3; i++) {
        char *end = NULL;
        if (!rest || *rest != ',') {
            return -EINVAL;
        }
        numbers[i] = strtol(rest + 1, &end, 10);
        rest = end;
    }
    out_role->kind = LAXITY_ROLE_CORUNNER;
    if (strncmp(text, "task,", 5) == 0) {
        out_role->kind = LAXITY_ROLE_TASK;
    } else if (strncmp(text, "own,", 4) == 0) {
        out_role->kind = LAXITY_ROLE_OWN_PROGRAM;
    } else if (strncmp(text, "job,", 4) == 0) {
        out_role->kind = LAXITY_ROLE_JOB;
    }
    out_role->index = (uint32_t)numbers[0];
    out_role->segment_fd = (int)numbers[1];
    out_role->go_fd = (int)numbers[2];
    return *rest == '\0' ? 0 : -EINVAL;
}

bool laxity_wait_for_go(int go_fd, const volatile sig_atomic_t *stop)
{
    char byte = 0;
    ssize_t got = 0;
    do {
        got = read(go_fd, &byte, 1);
    } while (got < 0 && errno == EINTR && !*stop);
    return got == 1;
}

void laxity_set_phase(struct laxity_process_state *state, enum laxity_phase phase)
{
    atomic_store_explicit(&state->phase, phase, memory_order_release);
}

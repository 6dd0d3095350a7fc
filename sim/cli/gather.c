/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/gather.h"

#include "harness/launch.h"
#include "harness/output.h"
#include "harness/segment.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static void copy_ready(struct laxity_launch *launch, struct pollfd *pipes, uint32_t n, bool all)
{
    for (uint32_t i = 0; i < n; i++) {
        if (pipes[i].fd >= 0 && (all || pipes[i].revents != 0) &&
            laxity_output_copy(launch->segment, launch->dir_fd, pipes[i].fd, i) == 0) {
            pipes[i].fd = -1; /* nobody is left who could print */
        }
    }
}

/* Until it is told that the programs have ended: what they printed is in the pipes then, and not
 * more than one call of laxity_output_copy takes. */
static void *gather_outputs(void *context)
{
    struct laxity_launch *launch = context;
    const uint32_t n = launch->segment->n_tasks + launch->segment->n_corunners;
    struct pollfd *pipes = calloc(n + 1, sizeof *pipes);
    for (uint32_t i = 0; pipes && i < n; i++) {
        pipes[i] = (struct pollfd){.fd = launch->output_read_fds[i], .events = POLLIN};
    }
    bool is_over = !pipes;
    while (!is_over) {
        pipes[n] = (struct pollfd){.fd = launch->stop_fd, .events = POLLIN};
        is_over = (poll(pipes, n + 1, -1) < 0 && errno != EINTR) || pipes[n].revents != 0;
        copy_ready(launch, pipes, n, is_over);
    }
    free(pipes);
    return NULL;
}

int laxity_sim_gather_begin(struct laxity_sim_gather *gather, struct laxity_launch *launch)
{
    /* Signals are for whoever simulates. */
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    *gather = (struct laxity_sim_gather){.launch = launch};
    const int rc = pthread_create(&gather->thread, NULL, gather_outputs, launch);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    gather->is_running = rc == 0;
    return -rc;
}

void laxity_sim_gather_end(struct laxity_sim_gather *gather)
{
    if (!gather->is_running) {
        return;
    }
    const uint64_t one = 1;
    (void)!write(gather->launch->stop_fd, &one, sizeof one);
    (void)pthread_join(gather->thread, NULL);
    gather->is_running = false;
}

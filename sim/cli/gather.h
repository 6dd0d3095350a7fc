/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What programs of a simulated platform print, gathered into output.log while they run. A thread
 * does it: a program that waits for room in its pipe would else be waited for itself.
 */
#ifndef LAXITY_SIM_GATHER_H
#define LAXITY_SIM_GATHER_H

#include "harness/launch.h"

#include <pthread.h>
#include <stdbool.h>

struct laxity_sim_gather {
    struct laxity_launch *launch;
    pthread_t thread;
    bool is_running;
};

/* laxity_sim_gather_begin - read the pipes of the launch's programs. Returns 0 or -errno. */
int laxity_sim_gather_begin(struct laxity_sim_gather *gather, struct laxity_launch *launch);

/* laxity_sim_gather_end - wait until all is read; the programs have ended. Twice is as once. */
void laxity_sim_gather_end(struct laxity_sim_gather *gather);

#endif

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A program in an emulator, as a source of what it does. */
#ifndef LAXITY_SIM_EMULATOR_H
#define LAXITY_SIM_EMULATOR_H

#include "interface/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

struct laxity_sim_emulator;

/* Whether a run shall end. Asked while a program lets wait, as one may that waits itself. */
struct laxity_sim_patience {
    void *context;
    bool (*must_stop)(void *context); /* NULL: it shall not */
};

/*
 * laxity_sim_emulator_start - begin with a program
 *
 * argv is an emulator, whose words load the front end with fd=3, and the program; what both print
 * goes to output_fd. Descriptors 0 to 2 of the caller are open. Returns 0, or an errno: it could
 * not be started.
 */
int laxity_sim_emulator_start(
    char *const *argv,
    int output_fd,
    struct laxity_sim_patience patience,
    struct laxity_sim_emulator **out_emulator
);

struct laxity_sim_source laxity_sim_emulator_source(struct laxity_sim_emulator *emulator);

/* laxity_sim_emulator_failure - how it failed, where its stream has ended; NULL: exit code 0 */
const char *laxity_sim_emulator_failure(struct laxity_sim_emulator *emulator);

/* Ends it if it still runs. NULL: nothing. */
void laxity_sim_emulator_stop(struct laxity_sim_emulator *emulator);

#ifdef __cplusplus
}
#endif

#endif

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

enum {
    /* A program whose stream has ended ends soon, unless it has closed its stream. */
    LAXITY_SIM_LOOKS_AT_END = 100, /* a tenth of a second apart */
};

/* How long a program may let wait. */
struct laxity_sim_patience {
    void *context;
    bool (*must_stop)(void *context); /* whether the run shall end, asked meanwhile; NULL: no */
    int looks_at_end;                 /* for its end, before it is killed */
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

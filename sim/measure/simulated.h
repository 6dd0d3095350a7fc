/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The simulated platform that this process measures, in place of the machine that it runs on
 * (native/probes/machine.h): there is one, as there is one machine.
 */
#ifndef LAXITY_SIM_MEASURE_SIMULATED_H
#define LAXITY_SIM_MEASURE_SIMULATED_H

#include "interface/builtin.h"
#include "interface/engine.h"
#include "measure/stage.h"
#include "probes/probe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* laxity_simulated_use - measure this platform; said before a probe is started */
void laxity_simulated_use(const struct laxity_sim_platform *platform);

/* laxity_simulated_act - the victim, which is the probe itself, executes these loops now */
void laxity_simulated_act(const struct laxity_sim_loop *loops, size_t n);

/* laxity_simulated_begin_victim, laxity_simulated_await_victim - the same in two steps: what
 * on_done begins is awaited, too */
void laxity_simulated_begin_victim(
    const struct laxity_sim_loop *loops,
    size_t n,
    void (*on_done)(void *context, const struct laxity_sim_job *job),
    void *context
);
void laxity_simulated_await_victim(void);

/* laxity_simulated_begin - another task does this, from its release on */
void laxity_simulated_begin(const struct laxity_sim_act *act);

/* laxity_simulated_await - the victim sleeps until another task has done what it has begun, and is
 * back on its core. Gives the job. */
struct laxity_sim_job laxity_simulated_await(enum laxity_sim_actor actor);

/* laxity_simulated_add_ordinary - let there be `n` ordinary tasks; said before the victim enters
 * its policy */
void laxity_simulated_add_ordinary(uint32_t n);

/* laxity_simulated_spin - a loop that uses no memory and, with the end of a job, takes so long */
struct laxity_sim_loop laxity_simulated_spin(int64_t duration_ns);

/* laxity_simulated_compute - so many instructions that use no memory; who preempts them may wait
 * for those of 60000 ticks */
struct laxity_sim_loop laxity_simulated_compute(uint64_t instructions);

/* laxity_simulated_walk - the loop of laxity_crpd_walk over `bytes` from an address there on */
struct laxity_sim_loop laxity_simulated_walk(uint64_t address, size_t bytes);

/* laxity_simulated_check_cpu - returns 0, or -1 with error set: the platform has no such CPU */
int laxity_simulated_check_cpu(struct laxity_probe_run *run, unsigned cpu);

/* laxity_simulated_line_bytes - of its caches */
uint32_t laxity_simulated_line_bytes(void);

/* laxity_simulated_has_node - whether a domain of that number has memory of its own */
bool laxity_simulated_has_node(int32_t node);

/* laxity_simulated_map, laxity_simulated_address - memory of the probe, and where it lies there.
 * Its pages are as they come: what is next to each other here is so there. They lie in the memory
 * of a domain, `node`, or, LAXITY_ANY_NODE, where they are at home. */
void laxity_simulated_map(const void *start, size_t bytes, int32_t node);
uint64_t laxity_simulated_address(const volatile void *start);

/* laxity_simulated_refuse - end the measuring process: the simulation cannot go on */
_Noreturn void laxity_simulated_refuse(const char *why);

/* The loops of a task that evicts, as native/probes/evict.h says it; freed by laxity_evicting_free.
 */
struct laxity_evicting {
    struct laxity_sim_loop *loops;
    size_t n;
};

/* laxity_evicting_of - of `bytes` from an address of its own on, by a body or by executing lines */
struct laxity_evicting laxity_evicting_of(enum laxity_sim_body body, uint64_t bytes);

/* laxity_evicting_all - both, data and code: what a switch finds nothing behind that the kernel
 * has */
struct laxity_evicting laxity_evicting_all(uint64_t bytes);

void laxity_evicting_free(struct laxity_evicting *evicting);

#endif

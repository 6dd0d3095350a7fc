/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/machine.h"

#include "base/error.h"
#include "base/port/pages.h"
#include "base/port/time.h"
#include "interface/builtin.h"
#include "interface/engine.h"
#include "measure/simulated.h"
#include "measure/stage.h"
#include "probes/probe.h"
#include "probes/working_set.h"
#include "schema/run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    T0_NS = LAXITY_NS_PER_S,
    MAPS_MAX = 2 * LAXITY_SIM_DOMAINS_MAX,
};

/* Behind code and marks; each mapping on a border that no cache knows of. */
#define DATA_ADDRESS UINT64_C(0x100000000)
#define MAP_BYTES (UINT64_C(1) << 40)

struct map {
    const unsigned char *start;
    size_t bytes;
    uint32_t instance; /* of the main memory */
};

/* What a process finds as a machine is not handed from function to function either. */
static struct {
    const struct laxity_sim_platform *platform;
    struct laxity_sim_stage *stage;
    uint32_t n_ordinary;
    struct laxity_probe_run *run;
    uint32_t core;
    int64_t now_ns;
    int64_t release_ns; /* of what the victim does next; passed unless it has paused */
    struct map maps[MAPS_MAX];
    unsigned n_maps;
} simulated;

const struct laxity_machine laxity_machine = {
    .clock = "simulated", .is_simulated = true, .t0_ns = T0_NS
};

uint32_t laxity_simulated_line_bytes(void)
{
    return simulated.platform->line_bytes;
}

bool laxity_simulated_has_node(int32_t node)
{
    const struct laxity_sim_platform *platform = simulated.platform;
    const uint32_t per_domain = platform->domain_cores;
    return platform->has_memory_each && per_domain > 0 && node >= 0 &&
           (uint32_t)node < (platform->cores + per_domain - 1) / per_domain;
}

void laxity_simulated_use(const struct laxity_sim_platform *platform)
{
    simulated.platform = platform;
    simulated.now_ns = T0_NS;
    simulated.release_ns = T0_NS;
}

_Noreturn void laxity_simulated_refuse(const char *why)
{
    laxity_error_set(&simulated.run->shared->error, LAXITY_EXIT_INTERNAL, "%s", why);
    _exit(LAXITY_EXIT_INTERNAL);
}

static struct laxity_sim_job await(enum laxity_sim_actor actor)
{
    struct laxity_sim_job job;
    if (laxity_sim_stage_await(simulated.stage, actor, &job, &simulated.run->shared->error)) {
        _exit(LAXITY_EXIT_INTERNAL);
    }
    if (job.finish_ns > simulated.now_ns) {
        simulated.now_ns = job.finish_ns;
        simulated.release_ns = 0;
    }
    return job;
}

void laxity_simulated_begin_victim(
    const struct laxity_sim_loop *loops,
    size_t n,
    void (*on_done)(void *context, const struct laxity_sim_job *job),
    void *context
)
{
    const struct laxity_sim_act act = {
        .actor = LAXITY_SIM_VICTIM,
        .core = simulated.core,
        .release_ns = simulated.release_ns,
        .loops = loops,
        .n_loops = n,
        .on_done = on_done,
        .context = context,
    };
    laxity_simulated_begin(&act);
}

void laxity_simulated_await_victim(void)
{
    (void)await(LAXITY_SIM_VICTIM);
}

void laxity_simulated_act(const struct laxity_sim_loop *loops, size_t n)
{
    laxity_simulated_begin_victim(loops, n, NULL, NULL);
    laxity_simulated_await_victim();
}

void laxity_simulated_begin(const struct laxity_sim_act *act)
{
    laxity_sim_stage_begin(simulated.stage, act);
}

/* Doing nothing is enough to be back. */
struct laxity_sim_job laxity_simulated_await(enum laxity_sim_actor actor)
{
    const struct laxity_sim_job job = await(actor);
    laxity_simulated_act(NULL, 0);
    return job;
}

void laxity_simulated_add_ordinary(uint32_t n)
{
    simulated.n_ordinary = n;
}

struct laxity_sim_loop laxity_simulated_spin(int64_t duration_ns)
{
    const struct laxity_sim_platform *platform = simulated.platform;
    __extension__ typedef unsigned __int128 wide;
    const wide ticks = (wide)duration_ns * platform->ticks_per_s[0] /
                       ((wide)platform->ticks_per_s[1] * LAXITY_NS_PER_S);
    const uint64_t end = platform->instruction_ticks;
    return (struct laxity_sim_loop){.body = LAXITY_SIM_SPIN,
                                    .n = ticks > end ? (uint64_t)ticks - end : 0};
}

struct laxity_sim_loop laxity_simulated_compute(uint64_t instructions)
{
    return (struct laxity_sim_loop){
        .body = LAXITY_SIM_SPIN,
        .n = instructions * simulated.platform->instruction_ticks,
    };
}

void laxity_simulated_map(const void *start, size_t bytes, int32_t node)
{
    if (simulated.n_maps < MAPS_MAX) {
        simulated.maps[simulated.n_maps++] = (struct map){
            .start = start,
            .bytes = bytes,
            .instance = node == LAXITY_ANY_NODE ? LAXITY_SIM_HOME : (uint32_t)node,
        };
    }
}

/* In the thread of the engine, which goes on only while the probe waits. */
static struct laxity_sim_place place(void *context, uint64_t address)
{
    (void)context;
    const uint64_t i = address < DATA_ADDRESS ? MAPS_MAX : (address - DATA_ADDRESS) / MAP_BYTES;
    return (struct laxity_sim_place){
        .instance = i < simulated.n_maps ? simulated.maps[i].instance : LAXITY_SIM_HOME,
    };
}

uint64_t laxity_simulated_address(const volatile void *start)
{
    const uintptr_t at = (uintptr_t)start;
    for (unsigned i = 0; i < simulated.n_maps; i++) {
        const uintptr_t base = (uintptr_t)simulated.maps[i].start;
        if (at >= base && at < base + simulated.maps[i].bytes) {
            return DATA_ADDRESS + i * MAP_BYTES + (at - base);
        }
    }
    laxity_simulated_refuse("a probe uses memory that the platform does not know");
}

int64_t laxity_machine_now_ns(void)
{
    return simulated.now_ns;
}

void laxity_machine_pause_ns(int64_t duration_ns)
{
    simulated.now_ns += duration_ns > 0 ? duration_ns : 0;
    simulated.release_ns = simulated.now_ns;
}

void *laxity_map_inherited(size_t bytes)
{
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) {
        return NULL;
    }
    laxity_simulated_map(base, bytes, LAXITY_ANY_NODE);
    return base;
}

int laxity_probe_enter_policy(struct laxity_probe_run *run, int priority)
{
    (void)priority;
    run->shared->policy = LAXITY_POLICY_FIFO;
    simulated.run = run;
    simulated.stage = laxity_sim_stage_open(
        simulated.platform, (struct laxity_sim_placer){.place = place}, simulated.n_ordinary
    );
    if (!simulated.stage) {
        return laxity_refuse(
            &run->shared->error, LAXITY_EXIT_LACKING, "no memory for the simulation"
        );
    }
    return 0;
}

int laxity_simulated_check_cpu(struct laxity_probe_run *run, unsigned cpu)
{
    if (cpu < simulated.platform->cores) {
        return 0;
    }
    return laxity_refuse(
        &run->shared->error,
        LAXITY_EXIT_USAGE,
        "%s: no CPU %u; the platform has %u",
        run->probe->name,
        cpu,
        simulated.platform->cores
    );
}

/* Whoever has gone there is there: a switch lies behind it. */
int laxity_probe_go_to(struct laxity_probe_run *run, unsigned cpu)
{
    if (laxity_simulated_check_cpu(run, cpu)) {
        return -1;
    }
    simulated.core = cpu;
    laxity_simulated_act(NULL, 0);
    return 0;
}

bool laxity_probe_is_in_place(const struct laxity_probe_run *run)
{
    (void)run;
    return true;
}

/* Nobody else needs the processor. */
void laxity_probe_pause(struct laxity_probe_run *run)
{
    (void)run;
}

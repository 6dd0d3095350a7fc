/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "measure/stage.h"

#include "base/error.h"
#include "base/port/time.h"
#include "interface/builtin.h"
#include "interface/engine.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Longer than any job, and no number of ticks that is too large. */
#define TIMEOUT_NS (INT64_C(1000000) * LAXITY_NS_PER_S)

enum {
    ORDINARY_PRIORITY = -1
};

struct actor {
    struct laxity_sim_stream *stream;
    struct laxity_sim_act act;
    struct laxity_sim_job job; /* the last one that has finished */
    bool is_begun;             /* its job has not started */
    bool is_busy;
};

struct laxity_sim_stage {
    const struct laxity_sim_platform *platform;
    struct actor *actors;
    struct laxity_sim_task *tasks; /* an actor each */
    uint32_t n;
    uint32_t awaited;
    pthread_t thread;
    sem_t engine_turn;
    sem_t probe_turn;
    bool is_running; /* there is a thread */
    bool is_closing;
    bool has_ended;
    struct laxity_error error;
};

static void wait_for(sem_t *turn)
{
    while (sem_wait(turn) != 0) {
        /* A signal came. */
    }
}

/* In the thread of the engine. */

static int64_t on_wait(void *context, uint32_t task, uint64_t *out_cores)
{
    struct laxity_sim_stage *stage = context;
    struct actor *actor = &stage->actors[task];
    if (!actor->is_begun) {
        return INT64_MAX;
    }
    *out_cores = UINT64_C(1) << actor->act.core;
    return actor->act.release_ns;
}

static int on_start(void *context, const struct laxity_sim_job *job)
{
    struct laxity_sim_stage *stage = context;
    stage->actors[job->task].is_begun = false;
    return stage->is_closing;
}

static int on_finish(void *context, const struct laxity_sim_job *job)
{
    struct laxity_sim_stage *stage = context;
    struct actor *actor = &stage->actors[job->task];
    actor->job = *job;
    actor->is_busy = false;
    if (actor->act.on_done) {
        actor->act.on_done(actor->act.context, job);
    }
    if (job->task == stage->awaited && !actor->is_busy) {
        (void)sem_post(&stage->probe_turn);
        wait_for(&stage->engine_turn);
    }
    return stage->is_closing;
}

static int on_end(
    void *context,
    uint32_t task,
    enum laxity_sim_end end,
    int64_t end_ns,
    const struct laxity_error *error
)
{
    struct laxity_sim_stage *stage = context;
    (void)task;
    (void)end;
    (void)end_ns;
    if (error->exit_code != 0) {
        laxity_error_set(&stage->error, error->exit_code, "%s", error->text);
    }
    return 0;
}

/* Whoever wants an end ends the process (native/probes/session.c). */
static bool must_stop(void *context)
{
    return ((const struct laxity_sim_stage *)context)->is_closing;
}

static void *simulate(void *context)
{
    struct laxity_sim_stage *stage = context;
    const struct laxity_sim_listener listener = {
        .context = stage,
        .on_start = on_start,
        .on_finish = on_finish,
        .on_end = on_end,
        .on_wait = on_wait,
        .must_stop = must_stop,
    };
    struct laxity_sim_totals totals;
    wait_for(&stage->engine_turn);
    laxity_simulate(stage->platform, stage->tasks, stage->n, INT64_MAX, &listener, &totals);
    stage->has_ended = true;
    (void)sem_post(&stage->probe_turn);
    return NULL;
}

/* In the thread of the probe. */

/* Returns false without memory. */
static bool make_tasks(struct laxity_sim_stage *stage, struct laxity_sim_placer placer)
{
    stage->actors = calloc(stage->n, sizeof *stage->actors);
    stage->tasks = calloc(stage->n, sizeof *stage->tasks);
    bool is_made = stage->actors && stage->tasks;
    for (uint32_t i = 0; i < stage->n && is_made; i++) {
        stage->actors[i].stream = laxity_sim_stream_new();
        is_made = stage->actors[i].stream != NULL;
        stage->tasks[i] = (struct laxity_sim_task){
            .source = laxity_sim_stream_source(stage->actors[i].stream),
            .decoder = laxity_sim_stream_decoder(),
            .program = i,
            .placer = placer,
            .releases = {.period_ns = 1, .deadline_ns = LAXITY_ABSENT_NS},
            .priority = i < LAXITY_SIM_ORDINARY ? (int32_t)i : ORDINARY_PRIORITY,
            .cores = UINT64_MAX >> (LAXITY_SIM_CORES_MAX - stage->platform->cores),
            .timeout_ns = TIMEOUT_NS,
        };
    }
    return is_made;
}

struct laxity_sim_stage *laxity_sim_stage_open(
    const struct laxity_sim_platform *platform, struct laxity_sim_placer placer, uint32_t n_ordinary
)
{
    struct laxity_sim_stage *stage = calloc(1, sizeof *stage);
    if (!stage) {
        return NULL;
    }
    stage->platform = platform;
    stage->n = LAXITY_SIM_ORDINARY + n_ordinary;
    bool is_made = sem_init(&stage->engine_turn, 0, 0) == 0;
    is_made = sem_init(&stage->probe_turn, 0, 0) == 0 && is_made;
    is_made = make_tasks(stage, placer) && is_made;
    stage->is_running = is_made && pthread_create(&stage->thread, NULL, simulate, stage) == 0;
    if (!stage->is_running) {
        laxity_sim_stage_close(stage);
        return NULL;
    }
    return stage;
}

void laxity_sim_stage_close(struct laxity_sim_stage *stage)
{
    if (!stage) {
        return;
    }
    if (stage->is_running) {
        stage->is_closing = true;
        (void)sem_post(&stage->engine_turn);
        (void)pthread_join(stage->thread, NULL);
    }
    for (uint32_t i = 0; i < stage->n && stage->actors; i++) {
        laxity_sim_stream_free(stage->actors[i].stream);
    }
    free(stage->actors);
    free(stage->tasks);
    (void)sem_destroy(&stage->engine_turn);
    (void)sem_destroy(&stage->probe_turn);
    free(stage);
}

void laxity_sim_stage_begin(struct laxity_sim_stage *stage, const struct laxity_sim_act *act)
{
    struct actor *actor = &stage->actors[act->actor];
    actor->act = *act;
    actor->is_begun = true;
    actor->is_busy = true;
    laxity_sim_stream_put(actor->stream, act->loops, act->n_loops);
}

int laxity_sim_stage_await(
    struct laxity_sim_stage *stage,
    uint32_t actor,
    struct laxity_sim_job *out_job,
    struct laxity_error *error
)
{
    if (stage->actors[actor].is_busy && !stage->has_ended) {
        stage->awaited = actor;
        (void)sem_post(&stage->engine_turn);
        wait_for(&stage->probe_turn);
    }
    if (stage->actors[actor].is_busy) {
        const char *why = stage->error.exit_code ? stage->error.text : "it has ended";
        return laxity_refuse(error, LAXITY_EXIT_INTERNAL, "the simulation: %s", why);
    }
    *out_job = stage->actors[actor].job;
    return 0;
}

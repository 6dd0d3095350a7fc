/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "adversary.h"

#include "regulator/policy.h"
#include "regulator/table.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    MARKS_MAX = 128, /* of all jobs of a run */
    STOPS_MAX = 64,  /* between two readings */
    LONGEST_NS = 400 * 1000 * 1000,
};

#define NEVER INT64_MAX
#define LONG_AGO (INT64_MIN / 2)

enum stage {
    WAITING,
    TIMED,   /* the first clock has been read */
    COUNTED, /* and the counter */
    CLOSED,  /* and the second clock; marks follow */
};

struct world {
    const struct setting *setting;
    struct laxity_regulation policy;
    struct outcome outcome;
    uint64_t random;
    int64_t now_ns;
    /* Best-effort work. */
    bool is_running;
    int64_t stops_at_ns, expiry_ns, stopped_since_ns;
    int64_t stops_ns[STOPS_MAX];
    uint32_t n_stops;
    uint64_t bytes;
    /* The job. */
    uint64_t n_jobs; /* begun */
    bool is_in_job;
    uint32_t input, phase;
    int64_t done; /* of the phase, ns of solo progress times LAXITY_RATE_ONE */
    int64_t own_ns, reload_ns, restart_ns, preempted_ns, next_preemption_ns;
    uint64_t preemptions;
    /* Marks and when they can be read. */
    struct laxity_regulation_mark marks[MARKS_MAX];
    int64_t visible_ns[MARKS_MAX];
    uint32_t n_marks, n_seen;
    /* The reading. */
    enum stage stage;
    int64_t next_ns, before_ns, after_ns, last_after_ns;
    uint64_t latched_bytes;
};

static void publish(struct world *world, uint32_t checkpoint, int64_t wall_ns)
{
    const struct setting *setting = world->setting;
    int64_t latest_ns = setting->terms.mark_ns;
    if (setting->is_read_early) {
        latest_ns -= 2 * setting->gap_ns;
    }
    const int64_t delay_ns =
        setting->are_marks_latest ? latest_ns : draw(&world->random, 0, latest_ns);
    const uint32_t n = world->n_marks++;
    world->marks[n] = (struct laxity_regulation_mark){
        .job = world->n_jobs,
        .checkpoint = checkpoint,
        .own_ns = world->own_ns,
        .wall_ns = wall_ns,
        .preemptions = world->preemptions,
    };
    world->visible_ns[n] = wall_ns + delay_ns;
    if (n > 0 && world->visible_ns[n] < world->visible_ns[n - 1]) {
        world->visible_ns[n] = world->visible_ns[n - 1];
    }
    world->outcome.n_marks++;
}

static void end_job(struct world *world)
{
    const struct laxity_regulation_terms *terms = &world->setting->terms;
    const int64_t promised_ns = world->setting->table.solo_from_ns[0] + terms->budget_ns +
                                terms->preemption_ns * (int64_t)world->preemptions;
    const int64_t excess_ns = world->own_ns - promised_ns;
    if (promised_ns > 0 && excess_ns > world->outcome.excess_ns) {
        world->outcome.excess_ns = excess_ns;
    }
    world->outcome.n_over += excess_ns > 0;
    world->is_in_job = false;
}

static int64_t length_ns(const struct world *world)
{
    const struct setting *setting = world->setting;
    return setting->solo_ns[world->input][world->phase] * setting->scale_percent / 100;
}

/* Leave phases that are done, at an instant; a reload that is still owed is part of the solo times,
 * which begin with cold caches at each checkpoint. */
static void pass_done(struct world *world, int64_t wall_ns)
{
    while (world->is_in_job && world->done >= length_ns(world) * LAXITY_RATE_ONE) {
        world->phase++;
        world->done = 0;
        world->reload_ns = 0;
        world->restart_ns = 0;
        publish(world, world->phase, wall_ns);
        if (world->phase == world->setting->n_phases) {
            end_job(world);
        }
    }
}

static void start_job(struct world *world)
{
    const struct setting *setting = world->setting;
    world->n_jobs++;
    world->is_in_job = true;
    world->input = (uint32_t)draw(&world->random, 0, setting->n_inputs - 1);
    world->phase = 0;
    world->done = 0;
    world->own_ns = 0;
    world->preemptions = 0;
    world->reload_ns = 0;
    world->restart_ns = 0;
    world->preempted_ns = 0;
    world->next_preemption_ns = setting->preempted_every_ns == 0
                                    ? NEVER
                                    : draw(&world->random, 1, 2 * setting->preempted_every_ns);
    publish(world, 0, world->now_ns);
    pass_done(world, world->now_ns);
}

/* Most loss for the traffic, at a price of traffic. */
static uint32_t dearest(const struct setting *setting, uint32_t phase, int64_t price)
{
    uint32_t best = 0;
    int64_t most = INT64_MIN;
    for (uint32_t x = 0; x < LOADS; x++) {
        const int64_t value = (int64_t)setting->loss[phase][x] - (price * x);
        if (value > most) {
            most = value;
            best = x;
        }
    }
    return best;
}

/* By where the job is. */
static uint32_t choose_by_job(const struct world *world)
{
    const struct setting *setting = world->setting;
    const uint32_t most = LOADS - 1;
    if (setting->adversary == ALTERNATING) {
        return world->phase % 2 ? 1 : most;
    }
    if (!world->is_in_job || world->preempted_ns > 0) {
        return setting->adversary == LATE_IN_PHASE || setting->adversary == EARLY_IN_PHASE ? most
                                                                                           : 0;
    }
    const int64_t done_ns = world->done / LAXITY_RATE_ONE;
    switch (setting->adversary) {
    case DEAREST:
        return dearest(setting, world->phase, setting->price[0]);
    case DEAREST_IN_PHASE:
        return dearest(setting, world->phase, setting->price[world->phase]);
    case EARLY_IN_PHASE:
        return done_ns < setting->period_ns ? most : 0;
    default:
        return length_ns(world) - done_ns < setting->period_ns * 2 / 3 ? 0 : most;
    }
}

/* By where the regulator is. */
static uint32_t choose_by_reading(const struct world *world)
{
    const struct setting *setting = world->setting;
    const uint32_t most = LOADS - 1;
    const int64_t since_ns = world->now_ns - world->last_after_ns;
    const bool is_reading = world->stage != WAITING;
    switch (setting->adversary) {
    case LATE_IN_INTERVAL:
        return since_ns < setting->price[1] * 5 % setting->period_ns ? 0 : most;
    case AT_READINGS:
        return is_reading || since_ns < setting->period_ns / 3 ? most : 1;
    default:
        return is_reading || since_ns <= setting->period_ns / 4 ? most : 0;
    }
}

static uint32_t choose_load(struct world *world)
{
    const struct setting *setting = world->setting;
    const uint32_t most = LOADS - 1;
    switch (setting->adversary) {
    case ALWAYS_MOST:
        return most;
    case MOST_UNLESS_PREEMPTED:
        return world->preempted_ns > 0 ? 0 : most;
    case RANDOM:
        return (uint32_t)draw(&world->random, 0, most);
    case ON_AND_OFF:
        return (world->now_ns / STEP_NS / (1 + setting->price[2] % 60)) & 1 ? most : 0;
    case LATE_IN_INTERVAL:
    case AT_READINGS:
    case HIDDEN:
        return choose_by_reading(world);
    default:
        return choose_by_job(world);
    }
}

/* Pay a reload, as far as the adversary wants it now. */
static void pay(struct world *world, int64_t *debt_ns, int64_t *left_ns)
{
    if (*debt_ns == 0 || *left_ns == 0 ||
        (world->setting->is_lazy && happens(&world->random, 50))) {
        return;
    }
    int64_t paid_ns = *debt_ns < *left_ns ? *debt_ns : *left_ns;
    if (world->setting->is_lazy && paid_ns > STEP_NS / 10) {
        paid_ns = STEP_NS / 10;
    }
    *debt_ns -= paid_ns;
    *left_ns -= paid_ns;
    world->own_ns += paid_ns;
}

/* A microsecond of the job, with a load. */
static void execute(struct world *world, uint32_t load)
{
    const struct setting *setting = world->setting;
    int64_t left_ns = STEP_NS;
    while (left_ns > 0 && world->is_in_job) {
        pay(world, &world->reload_ns, &left_ns);
        pay(world, &world->restart_ns, &left_ns);
        const int64_t progress = LAXITY_RATE_ONE - setting->loss[world->phase][load];
        const int64_t owed = (length_ns(world) * LAXITY_RATE_ONE) - world->done;
        const int64_t needed_ns = (owed + progress - 1) / progress;
        const int64_t part_ns = setting->is_lazy && left_ns > STEP_NS / 5 ? STEP_NS / 5 : left_ns;
        const int64_t spent_ns = needed_ns < part_ns ? needed_ns : part_ns;
        world->done += spent_ns * progress;
        world->bytes +=
            (uint64_t)(setting->own_traffic[world->phase] * spent_ns * progress / LAXITY_RATE_ONE);
        world->own_ns += spent_ns;
        left_ns -= spent_ns;
        pass_done(world, world->now_ns + STEP_NS - left_ns);
    }
}

static void run_job(struct world *world, uint32_t load)
{
    const struct setting *setting = world->setting;
    if (!world->is_in_job) {
        if (world->n_jobs < JOBS && world->now_ns >= setting->releases_ns[world->n_jobs]) {
            start_job(world);
        }
        return;
    }
    world->outcome.job_ns += STEP_NS;
    world->outcome.allowed_ns += world->is_running ? STEP_NS : 0;
    if (world->preempted_ns > 0) {
        world->preempted_ns -= STEP_NS;
        world->reload_ns = world->preempted_ns > 0 ? 0 : setting->terms.preemption_ns;
        return;
    }
    execute(world, load);
    world->next_preemption_ns -= world->next_preemption_ns == NEVER ? 0 : STEP_NS;
    if (world->is_in_job && world->next_preemption_ns <= 0) {
        world->preemptions++;
        world->preempted_ns = draw(&world->random, 5, 200) * STEP_NS;
        world->next_preemption_ns = draw(&world->random, 1, 2 * setting->preempted_every_ns);
    }
}

static int64_t stop_latency_ns(struct world *world)
{
    const int64_t most_ns = world->setting->terms.stop_ns;
    return world->setting->are_stops_latest ? most_ns : draw(&world->random, 0, most_ns);
}

static void end_stop(struct world *world)
{
    if (world->now_ns >= world->stops_at_ns) {
        world->is_running = false;
        world->stops_at_ns = NEVER;
        world->stopped_since_ns = world->now_ns;
        world->stops_ns[world->n_stops++] = world->now_ns;
        world->outcome.n_stops++;
        if (world->is_in_job && world->restart_ns < world->setting->terms.reload_ns) {
            world->restart_ns = world->setting->terms.reload_ns;
        }
    }
}

/* A lease that is not renewed stops best-effort work by itself. */
static void keep_lease(struct world *world)
{
    if (world->is_running && world->now_ns >= world->expiry_ns && world->stops_at_ns == NEVER) {
        world->stops_at_ns = world->now_ns + stop_latency_ns(world);
    }
    end_stop(world);
}

static uint64_t counted_bytes(const struct world *world)
{
    const int64_t wrap_ns = world->setting->terms.wrap_ns;
    return wrap_ns == INT64_MAX ? world->latched_bytes
                                : world->latched_bytes % ((uint64_t)wrap_ns * (STEPS - 1));
}

/* As the regulator can know: the job that starts next follows the job whose start it has read. */
static int64_t next_release_ns(const struct world *world)
{
    uint64_t n_read = 0;
    for (uint32_t i = 0; i < world->n_seen; i++) {
        n_read += world->marks[i].checkpoint == 0;
    }
    return n_read < JOBS ? world->setting->releases_ns[n_read] : INT64_MAX;
}

static void decide(struct world *world)
{
    const int64_t seen_ns = world->setting->is_read_early ? world->before_ns : world->now_ns;
    const uint32_t first = world->n_seen;
    while (world->n_seen < world->n_marks && world->visible_ns[world->n_seen] <= seen_ns &&
           world->marks[world->n_seen].wall_ns <= world->after_ns) {
        world->n_seen++;
    }
    const struct laxity_regulation_reading reading = {
        .before_ns = world->before_ns,
        .after_ns = world->after_ns,
        .bytes = counted_bytes(world),
        .marks = &world->marks[first],
        .n_marks = world->n_seen - first,
        .stops_ns = world->stops_ns,
        .n_stops = world->n_stops,
        .stopped_since_ns = world->is_running ? INT64_MAX : world->stopped_since_ns,
        .next_start_ns = world->setting->are_releases_known ? next_release_ns(world) : INT64_MIN,
    };
    const int64_t expiry_ns = laxity_regulation_decide(&world->policy, &reading);
    world->n_stops = 0;
    if (expiry_ns == INT64_MIN) {
        if (world->is_running && world->stops_at_ns == NEVER) {
            world->stops_at_ns = world->now_ns + stop_latency_ns(world);
        }
        return;
    }
    if (!world->is_running) {
        world->is_running = true;
        world->outcome.n_resumes++;
    }
    world->expiry_ns = expiry_ns;
}

/* Goes on with a reading: clock, counter, clock, marks, each up to a gap later. */
static void read_and_decide(struct world *world)
{
    const struct setting *setting = world->setting;
    if (world->stage == WAITING && world->now_ns >= world->next_ns) {
        if (world->is_running && world->now_ns <= world->expiry_ns && setting->stall_chance > 0 &&
            draw(&world->random, 0, 199) < setting->stall_chance) {
            world->next_ns = world->expiry_ns + setting->terms.stop_ns +
                             draw(&world->random, 0, 4 * setting->period_ns);
            return;
        }
        world->before_ns = world->now_ns;
        world->next_ns = world->now_ns + draw(&world->random, 0, setting->gap_ns);
        world->stage = TIMED;
    }
    if (world->stage == TIMED && world->now_ns >= world->next_ns) {
        world->latched_bytes = world->bytes;
        world->bytes = 0;
        world->next_ns = world->now_ns + draw(&world->random, 0, setting->gap_ns);
        world->stage = COUNTED;
    }
    if (world->stage == COUNTED && world->now_ns >= world->next_ns) {
        world->after_ns = world->now_ns;
        world->next_ns = world->now_ns + draw(&world->random, 0, setting->gap_ns);
        world->stage = CLOSED;
    }
    if (world->stage == CLOSED && world->now_ns >= world->next_ns) {
        decide(world);
        world->last_after_ns = world->after_ns;
        world->next_ns =
            world->before_ns + setting->period_ns + draw(&world->random, 0, setting->jitter_ns);
        world->next_ns = world->next_ns > world->now_ns ? world->next_ns : world->now_ns + STEP_NS;
        world->stage = WAITING;
    }
}

struct outcome play(const struct setting *setting)
{
    static struct world world;
    world = (struct world){
        .setting = setting,
        .random = setting->seed ^ 0x5DEECE66DU,
        .stops_at_ns = NEVER,
        .stopped_since_ns = LONG_AGO,
        .outcome = {.excess_ns = INT64_MIN},
    };
    laxity_regulation_begin(&world.policy, &setting->table, &setting->terms);
    const uint32_t n_passages = JOBS * (setting->n_phases + 1);
    while (world.n_seen < n_passages && world.now_ns < LONGEST_NS) {
        const uint32_t load = world.is_running ? choose_load(&world) : 0;
        world.bytes += (uint64_t)load * STEP_NS;
        run_job(&world, load);
        world.now_ns += STEP_NS;
        keep_lease(&world);
        read_and_decide(&world);
        end_stop(&world);
    }
    world.outcome.n_void = world.policy.jobs_void;
    return world.outcome;
}

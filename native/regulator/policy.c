/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "regulator/policy.h"

#include "base/port/time.h"
#include "regulator/baselines.h"
#include "regulator/table.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    /* The traffic of allowed time is averaged over so much. */
    AVERAGED_NS = LAXITY_NS_PER_MS / 5,
    /* First guess of that traffic: a fifth of the table. A larger guess would never be corrected,
     * because nothing would run. */
    FIRST_GUESS_DIVISOR = 5,
};

/* All of a longer interval counts as lost: its product with a rate would not fit. */
#define LONGEST_NS (INT64_MAX / LAXITY_RATE_ONE - 1)

/* Wall time since the last reading, and what is known of it. */
struct interval {
    int64_t dt_ns; /* from before the last reading to after this reading */
    int64_t last_ns;
    int64_t now_ns;
    int64_t gap_ns; /* between the two clock readings around the counter's */
    uint32_t step;
    bool is_beyond; /* more traffic than the table covers */
    uint64_t n_stops;
    bool is_stopped; /* best-effort work stood still throughout */
};

void laxity_regulation_begin(
    struct laxity_regulation *policy,
    const struct laxity_contention_table *table,
    const struct laxity_regulation_terms *terms
)
{
    *policy = (struct laxity_regulation){.table = table, .terms = *terms};
}

/* Loss in wall time at a rate, rounded up; an interval that ends before it begins loses nothing. */
static int64_t loss_ns(int64_t wall_ns, uint32_t rate)
{
    if (wall_ns <= 0) {
        return 0;
    }
    return wall_ns > LONGEST_NS ? wall_ns
                                : (wall_ns * rate + LAXITY_RATE_ONE - 1) / LAXITY_RATE_ONE;
}

static void
keep_stops(struct laxity_regulation *policy, const struct laxity_regulation_reading *reading)
{
    for (uint32_t i = 0; i < reading->n_stops; i++) {
        policy->stops_ns[policy->n_stops++ % LAXITY_REGULATION_STOPS_MAX] = reading->stops_ns[i];
    }
}

/* Reloads after stops that were complete at or after an instant. */
static int64_t reloads_ns(const struct laxity_regulation *policy, int64_t since_ns)
{
    uint64_t n = 0;
    while (n < policy->n_stops && n < LAXITY_REGULATION_STOPS_MAX &&
           policy->stops_ns[(policy->n_stops - 1 - n) % LAXITY_REGULATION_STOPS_MAX] >= since_ns) {
        n++;
    }
    /* Older stops are forgotten: each of them may have been after the instant. */
    const bool is_all_known = n < LAXITY_REGULATION_STOPS_MAX;
    return policy->terms.reload_ns * (int64_t)(is_all_known ? n : policy->n_stops);
}

/* Whether the counter tells the traffic: after half of the time in which it wraps it may look
 * smaller than it is, and a mean over more than a second tells nothing. */
static bool
knows_traffic(const struct laxity_regulation_terms *terms, uint64_t bytes, int64_t dt_ns)
{
    return terms->has_sensor && bytes != LAXITY_TRAFFIC_UNKNOWN && dt_ns > 0 &&
           dt_ns <= LAXITY_NS_PER_S && dt_ns <= terms->wrap_ns / 2;
}

static struct interval
interval_of(const struct laxity_regulation *policy, const struct laxity_regulation_reading *reading)
{
    const struct laxity_contention_table *table = policy->table;
    const int64_t dt_ns = reading->after_ns - policy->before_ns;
    const bool is_known = knows_traffic(&policy->terms, reading->bytes, dt_ns);
    return (struct interval){
        .dt_ns = dt_ns,
        .last_ns = policy->after_ns,
        .now_ns = reading->after_ns,
        .gap_ns = reading->after_ns - reading->before_ns,
        .step =
            is_known ? laxity_contention_step(table, reading->bytes, dt_ns) : table->n_steps - 1,
        .is_beyond = is_known && laxity_contention_is_beyond(table, reading->bytes, dt_ns),
        .n_stops = reading->n_stops,
        .is_stopped = reading->stopped_since_ns <= policy->before_ns,
    };
}

static void charge(struct laxity_regulation *policy, int64_t ns)
{
    policy->slack_ns -= ns;
    policy->charged_ns += ns;
}

static void give_up(struct laxity_regulation *policy)
{
    policy->jobs_void += !policy->is_void;
    policy->is_void = true;
}

/* Largest loss of the job since its last known checkpoint, until an instant. A job proceeds no
 * faster than alone. */
static uint32_t worst_until(const struct laxity_regulation *policy, int64_t until_ns)
{
    return laxity_contention_worst_within(
        policy->table, policy->phase, until_ns - policy->passed_ns
    );
}

/* The first reading that sees a job charges it for all wall time since its start at the largest
 * rate, in place of the interval. */
static void begin_job(
    struct laxity_regulation *policy,
    const struct interval *interval,
    const struct laxity_regulation_mark *first
)
{
    policy->is_in_job = true;
    policy->is_void = false;
    policy->job = first->job;
    policy->phase = 0;
    policy->passed_ns = first->wall_ns;
    policy->slack_ns = policy->terms.budget_ns;
    policy->charged_ns = 0;
    const uint32_t rate = worst_until(policy, interval->now_ns);
    charge(policy, loss_ns(interval->now_ns - first->wall_ns, rate));
    charge(policy, reloads_ns(policy, first->wall_ns));
    if (first->checkpoint != 0) {
        give_up(policy); /* its start was lost */
    }
}

/* What may have been lost between the newest checkpoint and this reading. */
static int64_t lost_since_ns(
    const struct laxity_regulation *policy,
    const struct interval *interval,
    const struct laxity_regulation_mark *newest,
    int64_t stopped_since_ns
)
{
    const uint32_t *loss = policy->table->loss[newest->checkpoint];
    if (stopped_since_ns <= newest->wall_ns) {
        return 0;
    }
    if (newest->wall_ns < interval->last_ns) {
        return loss_ns(interval->now_ns - newest->wall_ns, loss[policy->table->n_steps - 1]);
    }
    return loss_ns(interval->dt_ns, loss[interval->step]);
}

/* Charge an interval in which a job passed from its phase into phase `to`; `oldest_ns`: instant of
 * the first passage that is new. */
static void charge_passages(
    struct laxity_regulation *policy,
    const struct interval *interval,
    uint32_t to,
    int64_t oldest_ns
)
{
    uint32_t joined[LAXITY_TRAFFIC_STEPS_MAX];
    laxity_contention_join(policy->table, policy->phase, to, joined);
    if (!interval->is_stopped) {
        charge(policy, loss_ns(interval->dt_ns, joined[interval->step]));
    }
    /* A mark seen late: the readings since then charged the wrong phase. */
    charge(policy, loss_ns(interval->last_ns - oldest_ns, joined[policy->table->n_steps - 1]));
    charge(policy, policy->terms.reload_ns * (int64_t)interval->n_stops);
}

static bool is_longer_than_profiled(
    const struct laxity_regulation *policy,
    const struct interval *interval,
    const struct laxity_regulation_mark *mark
)
{
    const struct laxity_contention_table *table = policy->table;
    const int64_t preemptions_ns = policy->terms.preemption_ns * (int64_t)mark->preemptions;
    /* The job may have lost time after the counter was read that the next reading charges. */
    const int64_t covered_ns = table->solo_until_ns[mark->checkpoint] + preemptions_ns +
                               policy->charged_ns +
                               loss_ns(interval->gap_ns, worst_until(policy, interval->now_ns));
    const int64_t promised_ns = table->solo_from_ns[0] + policy->terms.budget_ns + preemptions_ns;
    const bool is_end = mark->checkpoint == table->n_phases;
    return mark->own_ns > covered_ns || (is_end && mark->own_ns > promised_ns);
}

/* New passages of the job, the newest last. */
static void pass(
    struct laxity_regulation *policy,
    const struct interval *interval,
    const struct laxity_regulation_mark *marks,
    uint32_t n_marks,
    int64_t stopped_since_ns
)
{
    const struct laxity_contention_table *table = policy->table;
    const struct laxity_regulation_mark *newest = &marks[n_marks - 1];
    const uint32_t to = newest->checkpoint;
    if (to > table->n_phases || to <= policy->phase) {
        give_up(policy); /* a checkpoint that the table does not have, or not here */
        return;
    }
    if (is_longer_than_profiled(policy, interval, newest)) {
        give_up(policy);
    }
    policy->phase = to;
    policy->passed_ns = newest->wall_ns;
    if (to == table->n_phases) {
        policy->is_in_job = false;
        return;
    }
    /* The certificate: time left to the job, less the largest that its rest takes alone. */
    const int64_t certified_ns = table->solo_from_ns[0] + policy->terms.budget_ns +
                                 policy->terms.preemption_ns * (int64_t)newest->preemptions -
                                 newest->own_ns - table->solo_from_ns[to] -
                                 lost_since_ns(policy, interval, newest, stopped_since_ns) -
                                 reloads_ns(policy, newest->wall_ns);
    policy->slack_ns = certified_ns > policy->slack_ns ? certified_ns : policy->slack_ns;
}

static uint32_t n_of_one_job(const struct laxity_regulation_reading *reading, uint32_t from)
{
    uint32_t n = 1;
    while (from + n < reading->n_marks && reading->marks[from + n].job == reading->marks[from].job
    ) {
        n++;
    }
    return n;
}

/* All marks of a reading, job by job. */
static void take_marks(
    struct laxity_regulation *policy,
    const struct laxity_regulation_reading *reading,
    const struct interval *interval
)
{
    uint32_t n = 0;
    for (uint32_t from = 0; from < reading->n_marks; from += n) {
        const struct laxity_regulation_mark *marks = &reading->marks[from];
        n = n_of_one_job(reading, from);
        const struct laxity_regulation_mark *newest = &marks[n - 1];
        const bool is_new = !policy->is_in_job || marks->job != policy->job;
        if (is_new) {
            begin_job(policy, interval, marks);
        } else {
            charge_passages(policy, interval, newest->checkpoint, marks->wall_ns);
        }
        if (!is_new || newest->checkpoint != 0) {
            pass(policy, interval, marks, n, reading->stopped_since_ns);
        }
    }
}

static void charge_interval(struct laxity_regulation *policy, const struct interval *interval)
{
    if (!interval->is_stopped) {
        const uint32_t rate = policy->table->loss[policy->phase][interval->step];
        charge(policy, loss_ns(interval->dt_ns, rate));
    }
    charge(policy, policy->terms.reload_ns * (int64_t)interval->n_stops);
}

static void
keep_step(struct laxity_regulation *policy, const struct interval *interval, bool is_running)
{
    if (policy->is_in_job && policy->was_allowed && is_running) {
        const uint64_t at = policy->n_readings++ % LAXITY_REGULATION_READINGS_MAX;
        policy->lengths_ns[at] = interval->dt_ns;
        policy->steps[at] = interval->step;
    }
}

/* Mean step of the traffic while best-effort work was allowed. */
static uint32_t average_step(const struct laxity_regulation *policy)
{
    int64_t length_ns = 0;
    int64_t sum = 0;
    for (uint64_t n = 0; n < policy->n_readings && n < LAXITY_REGULATION_READINGS_MAX; n++) {
        const uint64_t at = (policy->n_readings - 1 - n) % LAXITY_REGULATION_READINGS_MAX;
        length_ns += policy->lengths_ns[at];
        sum += policy->lengths_ns[at] * policy->steps[at];
        if (length_ns >= AVERAGED_NS) {
            break;
        }
    }
    return length_ns == 0 ? (policy->table->n_steps - 1) / FIRST_GUESS_DIVISOR
                          : (uint32_t)(sum / length_ns);
}

/* From a permission until best-effort work stands still, and the marks until then are read. */
static int64_t permitted_ns(const struct laxity_regulation_terms *terms)
{
    return terms->lease_ns + terms->stop_ns + terms->mark_ns;
}

/* What a job can lose after a reading that allows best-effort work, until the permission has
 * expired, the work stands still, and the caches are loaded again. Traffic is known up to where the
 * counter was read: up to gap_ns before the permission begins. */
static int64_t exposed_ns(const struct laxity_regulation *policy, const struct interval *interval)
{
    const int64_t permitted = permitted_ns(&policy->terms);
    const uint32_t rate = worst_until(policy, interval->now_ns + permitted);
    return loss_ns(interval->gap_ns + permitted, rate) + policy->terms.reload_ns;
}

/* A job that starts within a permission must be able to bear it. */
static bool
may_start(const struct laxity_regulation *policy, const struct laxity_regulation_reading *reading)
{
    const struct laxity_regulation_terms *terms = &policy->terms;
    const int64_t permitted = permitted_ns(terms);
    const uint32_t rate = laxity_contention_worst_within(policy->table, 0, permitted);
    return terms->budget_ns >= loss_ns(permitted, rate) + terms->reload_ns ||
           reading->next_start_ns > reading->after_ns + terms->lease_ns + terms->stop_ns;
}

/* Whether the last stop was charged to the job that it hit: it is complete, and the start of a job
 * before it would have been read by now. A second stop could otherwise hit the same job. */
static bool
is_charged(const struct laxity_regulation *policy, const struct laxity_regulation_reading *reading)
{
    if (reading->stopped_since_ns == INT64_MAX) {
        return policy->was_allowed;
    }
    return reading->stopped_since_ns <= reading->after_ns - policy->terms.mark_ns;
}

static enum laxity_regulation_reason reason_of(
    const struct laxity_regulation *policy,
    const struct laxity_regulation_reading *reading,
    const struct interval *interval
)
{
    if (!may_start(policy, reading)) {
        return LAXITY_REGULATION_REASON_START;
    }
    if (policy->is_in_job && policy->is_void) {
        return LAXITY_REGULATION_REASON_OUTSIDE;
    }
    if (policy->is_in_job) {
        const int64_t exposed = exposed_ns(policy, interval);
        const int64_t reserve_ns =
            policy->terms.has_sensor
                ? policy->table->reserve_ns[policy->phase][average_step(policy)]
                : 0;
        if (policy->slack_ns < exposed) {
            return interval->is_beyond ? LAXITY_REGULATION_REASON_BEYOND
                                       : LAXITY_REGULATION_REASON_SLACK;
        }
        if (policy->slack_ns < exposed + reserve_ns) {
            return LAXITY_REGULATION_REASON_RESERVE;
        }
    }
    return is_charged(policy, reading) ? LAXITY_REGULATION_REASON_ALLOWED
                                       : LAXITY_REGULATION_REASON_WAITS;
}

int64_t laxity_regulation_decide(
    struct laxity_regulation *policy, const struct laxity_regulation_reading *reading
)
{
    if (policy->terms.policy != LAXITY_REGULATION_SOUND) {
        policy->reason = laxity_regulation_baseline(policy, reading);
        return policy->reason == LAXITY_REGULATION_REASON_ALLOWED
                   ? reading->after_ns + policy->terms.lease_ns
                   : INT64_MIN;
    }
    keep_stops(policy, reading);
    const struct interval interval = interval_of(policy, reading);
    policy->readings_beyond += policy->is_in_job && interval.is_beyond;
    if (reading->n_marks > 0) {
        take_marks(policy, reading, &interval);
    } else if (policy->is_in_job) {
        charge_interval(policy, &interval);
    }
    keep_step(policy, &interval, reading->stopped_since_ns == INT64_MAX);
    policy->before_ns = reading->before_ns;
    policy->after_ns = reading->after_ns;
    policy->reason = reason_of(policy, reading, &interval);
    policy->was_allowed = policy->reason == LAXITY_REGULATION_REASON_ALLOWED;
    return policy->was_allowed ? reading->after_ns + policy->terms.lease_ns : INT64_MIN;
}

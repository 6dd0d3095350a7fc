/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "regulator/plan.h"

#include "base/error.h"
#include "base/port/time.h"
#include "regulator/policy.h"
#include "regulator/table.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    DECIMAL = 10,
    SHOWN_BYTES = 60, /* of a line that cannot be */
};

/* A number of the plan: name, place, bytes, limits. */
struct number {
    const char *name;
    size_t offset;
    uint8_t bytes;
    uint64_t low;
    uint64_t high;
};

#define NUMBER(name_, member_, low_, high_)                                                        \
    {                                                                                              \
        .name = (name_),                                                                           \
        .offset = offsetof(struct laxity_regulation_plan, member_),                                \
        .bytes = sizeof(((struct laxity_regulation_plan *)NULL)->member_),                         \
        .low = (low_),                                                                             \
        .high = (high_),                                                                           \
    }

/* An hour: sums and products of such times fit. */
#define TIME_MAX_NS (UINT64_C(3600) * 1000000000)

static const struct number numbers[] = {
    NUMBER("task", task, 0, UINT16_MAX),
    NUMBER("core", core, 0, UINT16_MAX),
    NUMBER("period_ns", period_ns, 1, TIME_MAX_NS),
    NUMBER("stop_latency_ns", stop_latency_ns, 0, TIME_MAX_NS),
    NUMBER("resume_latency_ns", resume_latency_ns, 0, TIME_MAX_NS),
    NUMBER("mark_latency_ns", mark_latency_ns, 0, TIME_MAX_NS),
    NUMBER("policy", terms.policy, 0, LAXITY_REGULATION_BUDGET),
    NUMBER("has_sensor", terms.has_sensor, 0, 1),
    NUMBER("budget_ns", terms.budget_ns, 0, TIME_MAX_NS),
    NUMBER("reload_ns", terms.reload_ns, 0, TIME_MAX_NS),
    NUMBER("preemption_ns", terms.preemption_ns, 0, TIME_MAX_NS),
    NUMBER("lease_ns", terms.lease_ns, 0, TIME_MAX_NS),
    NUMBER("stop_ns", terms.stop_ns, 0, TIME_MAX_NS),
    NUMBER("mark_ns", terms.mark_ns, 0, TIME_MAX_NS),
    NUMBER("refill_bytes", terms.refill_bytes, 0, LAXITY_TRAFFIC_MAX),
    NUMBER("refill_ns", terms.refill_ns, 1, TIME_MAX_NS),
    NUMBER("phases", table.n_phases, 1, LAXITY_PHASES_MAX),
    NUMBER("steps", table.n_steps, 2, LAXITY_TRAFFIC_STEPS_MAX),
    NUMBER("step_bytes_per_s", table.step_bytes_per_s, 1, UINT64_C(1) << 34),
};

enum {
    N_NUMBERS = sizeof numbers / sizeof numbers[0],
    N_LISTS = 3, /* of checkpoints */
    N_PHASE_LISTS = 3,
};

struct reading {
    struct laxity_regulation_plan *plan;
    bool has_number[N_NUMBERS];
    bool has_list[N_LISTS];
    bool has_of_phase[N_PHASE_LISTS][LAXITY_PHASES_MAX];
};

/* The next number of a line, within limits; `is_last`: the line ends with it. Moves *text past it.
 */
static bool take(const char **text, uint64_t low, uint64_t high, bool is_last, uint64_t *out)
{
    const char *const start = *text;
    char *end = NULL;
    if (*start < '0' || *start > '9') {
        return false;
    }
    errno = 0;
    *out = strtoull(start, &end, DECIMAL);
    if (errno != 0 || *out < low || *out > high || *end != (is_last ? '\0' : ' ')) {
        return false;
    }
    *text = end + (is_last ? 0 : 1);
    return true;
}

static bool take_times(const char *text, uint32_t n, int64_t *out_ns)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t ns = 0;
        if (!take(&text, 0, TIME_MAX_NS, i + 1 == n, &ns)) {
            return false;
        }
        out_ns[i] = (int64_t)ns;
    }
    return true;
}

static bool take_rates(const char *text, uint32_t n, uint32_t *out)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t rate = 0;
        if (!take(&text, 0, UINT32_MAX, i + 1 == n, &rate)) {
            return false;
        }
        out[i] = (uint32_t)rate;
    }
    return true;
}

static void store(unsigned char *at, uint8_t bytes, uint64_t value)
{
    const bool truth = value != 0;
    const uint32_t word = (uint32_t)value;
    if (bytes == sizeof truth) {
        memcpy(at, &truth, sizeof truth);
    } else if (bytes == sizeof word) {
        memcpy(at, &word, sizeof word);
    } else {
        memcpy(at, &value, sizeof value);
    }
}

static bool read_number(struct reading *reading, const char *name, const char *text)
{
    for (unsigned i = 0; i < N_NUMBERS; i++) {
        if (strcmp(name, numbers[i].name) != 0) {
            continue;
        }
        uint64_t value = 0;
        if (reading->has_number[i] || !take(&text, numbers[i].low, numbers[i].high, true, &value)) {
            return false;
        }
        store((unsigned char *)reading->plan + numbers[i].offset, numbers[i].bytes, value);
        reading->has_number[i] = true;
        return true;
    }
    return false;
}

static bool read_of_phase(struct reading *reading, unsigned which, const char *text)
{
    struct laxity_regulation_plan *plan = reading->plan;
    struct laxity_contention_table *table = &plan->table;
    uint64_t phase = 0;
    if (table->n_phases == 0 || table->n_steps == 0 ||
        !take(&text, 0, table->n_phases - 1, false, &phase) ||
        reading->has_of_phase[which][phase]) {
        return false;
    }
    reading->has_of_phase[which][phase] = true;
    uint64_t mark = 0;
    uint64_t passage = 0;
    switch (which) {
    case 0:
        return take_rates(text, table->n_steps, table->loss[phase]);
    case 1:
        return take_times(text, table->n_steps, table->reserve_ns[phase]);
    default:
        if (phase == 0 || !take(&text, 0, LAXITY_CHECKPOINT_MARKS - 1, false, &mark) ||
            !take(&text, 1, UINT32_MAX, true, &passage)) {
            return false;
        }
        plan->checkpoints[phase] = (struct laxity_checkpoint){(uint32_t)mark, (uint32_t)passage};
        return true;
    }
}

static bool read_passages(struct laxity_regulation_plan *plan, const char *text)
{
    uint64_t mark = 0;
    uint64_t n = 0;
    if (!take(&text, 0, LAXITY_CHECKPOINT_MARKS - 1, false, &mark) || plan->passages[mark] != 0 ||
        !take(&text, 1, UINT32_MAX, true, &n)) {
        return false;
    }
    plan->passages[mark] = (uint32_t)n;
    return true;
}

static bool read_line(struct reading *reading, char *line)
{
    static const char *const of_phases[N_PHASE_LISTS] = {"loss", "reserve", "mark"};
    struct laxity_contention_table *table = &reading->plan->table;
    int64_t *const lists[N_LISTS] = {table->solo_from_ns, table->solo_until_ns, table->soonest_ns};
    static const char *const list_names[N_LISTS] = {"solo_from_ns", "solo_until_ns", "soonest_ns"};
    char *text = strchr(line, ' ');
    if (!text) {
        return false;
    }
    *text++ = '\0';
    for (unsigned i = 0; i < N_PHASE_LISTS; i++) {
        if (strcmp(line, of_phases[i]) == 0) {
            return read_of_phase(reading, i, text);
        }
    }
    for (unsigned i = 0; i < N_LISTS; i++) {
        if (strcmp(line, list_names[i]) == 0 && !reading->has_list[i] && table->n_phases > 0) {
            reading->has_list[i] = true;
            return take_times(text, table->n_phases + 1, lists[i]);
        }
    }
    return strcmp(line, "passages") == 0 ? read_passages(reading->plan, text)
                                         : read_number(reading, line, text);
}

/* The name of a key that lacks, or NULL. */
static const char *lacking(const struct reading *reading)
{
    for (unsigned i = 0; i < N_NUMBERS; i++) {
        if (!reading->has_number[i]) {
            return numbers[i].name;
        }
    }
    for (uint32_t p = 0; p < reading->plan->table.n_phases; p++) {
        if (!reading->has_of_phase[0][p] || !reading->has_of_phase[1][p]) {
            return reading->has_of_phase[0][p] ? "reserve" : "loss";
        }
        if (p > 0 && !reading->has_of_phase[2][p]) {
            return "mark";
        }
    }
    if (!reading->has_list[0] || !reading->has_list[1]) {
        return reading->has_list[0] ? "solo_until_ns" : "solo_from_ns";
    }
    return NULL;
}

/* What is wrong with the checkpoints of a plan that is complete, or NULL. */
static const char *flaw_of_checkpoints(const struct laxity_regulation_plan *plan)
{
    const uint32_t n = plan->table.n_phases;
    const int64_t *const from_ns = plan->table.solo_from_ns;
    const int64_t *const until_ns = plan->table.solo_until_ns;
    if (until_ns[0] != 0 || from_ns[n] != 0) {
        return "a time before the start or after the end of a job";
    }
    for (uint32_t p = 1; p <= n; p++) {
        /* A stop just before a checkpoint may add a reload to what follows it. */
        if (until_ns[p] < until_ns[p - 1] || from_ns[p] > from_ns[p - 1] + plan->terms.reload_ns) {
            return "solo_until_ns falls, or solo_from_ns rises";
        }
        if (plan->table.soonest_ns[p] < plan->table.soonest_ns[p - 1]) {
            return "soonest_ns falls";
        }
    }
    for (uint32_t p = 1; p < n; p++) {
        const struct laxity_checkpoint *const point = &plan->checkpoints[p];
        for (uint32_t q = p + 1; q < n; q++) {
            const struct laxity_checkpoint *const other = &plan->checkpoints[q];
            if (point->mark == other->mark && point->passage == other->passage) {
                return "two phases begin at one passage of a mark";
            }
        }
    }
    return NULL;
}

/* What is wrong with a plan that is complete, or NULL. */
static const char *flaw_of(struct laxity_regulation_plan *plan)
{
    const struct laxity_regulation_terms *terms = &plan->terms;
    const char *const flaw = flaw_of_checkpoints(plan);
    if (flaw) {
        return flaw;
    }
    if (terms->stop_ns < plan->stop_latency_ns || terms->mark_ns < plan->mark_latency_ns) {
        return "stop_ns or mark_ns is less than the latency";
    }
    if (terms->policy != LAXITY_REGULATION_PAPER) {
        const bool is_table = laxity_contention_check(&plan->table) == 0;
        return is_table ? NULL : "a loss falls with the traffic, or is not packed";
    }
    const bool is_sampled =
        terms->has_sensor && terms->lease_ns > 0 && terms->lease_ns <= LAXITY_NS_PER_S;
    return is_sampled ? NULL : "policy 2 needs a sensor, and samples of at most a second";
}

int laxity_regulation_plan_parse(
    char *text, struct laxity_regulation_plan *out_plan, struct laxity_error *error
)
{
    *out_plan = (struct laxity_regulation_plan){.terms = {.wrap_ns = INT64_MAX}};
    struct reading reading = {.plan = out_plan};
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char shown[SHOWN_BYTES];
        laxity_format(shown, sizeof shown, "%s", line);
        if (!read_line(&reading, line)) {
            laxity_error_set(error, LAXITY_EXIT_USAGE, "regulation plan: bad line \"%s\"", shown);
            return -1;
        }
    }
    const char *const name = lacking(&reading);
    if (name) {
        laxity_error_set(error, LAXITY_EXIT_USAGE, "regulation plan: no %s", name);
        return -1;
    }
    const char *const flaw = flaw_of(out_plan);
    if (flaw) {
        laxity_error_set(error, LAXITY_EXIT_USAGE, "regulation plan: %s", flaw);
        return -1;
    }
    return 0;
}

uint32_t laxity_regulation_plan_checkpoint(
    const struct laxity_regulation_plan *plan, uint32_t mark, uint32_t passage
)
{
    if (mark >= LAXITY_CHECKPOINT_MARKS) {
        return 0;
    }
    for (uint32_t p = 1; p < plan->table.n_phases; p++) {
        if (plan->checkpoints[p].mark == mark && plan->checkpoints[p].passage == passage) {
            return p;
        }
    }
    return passage <= plan->passages[mark] ? 0 : UINT32_MAX;
}

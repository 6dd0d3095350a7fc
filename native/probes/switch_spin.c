/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Probe "switch": what interrupts the victim while nothing is released. */
#include "base/error.h"
#include "base/port/file.h"
#include "probes/probe.h"
#include "probes/switch_interrupts.h"
#include "probes/switch_quantities.h"
#include "probes/switch_settings.h"
#include "probes/switch_stamps.h"
#include "probes/switch_victim.h"
#include "schema/probes.h"
#include "schema/streams.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* /proc/interrupts of some hundreds of CPUs and lines. */
    TEXT_BYTES = 1 << 20
};

/* The kernel's counts, read twice; too large for a stack. */
struct counting {
    struct laxity_interrupts before;
    struct laxity_interrupts after;
    char text[TEXT_BYTES];
};

/* One row per gap, then one of the window. It ends early when the victim has no room for more gaps.
 */
int laxity_switch_spin(struct laxity_switch_victim *victim, int64_t window_ns)
{
    const struct laxity_gaps *gaps = &victim->shared->gaps;
    struct laxity_switch_row window = laxity_switch_row_of(victim, LAXITY_SWITCH_QUANTITY_SPIN);
    laxity_anchor_stamps(&victim->clock, 0);
    const uint64_t start = laxity_stamp(&victim->clock);
    const uint64_t end = start + laxity_stamps_of_ns(&victim->clock, window_ns);
    laxity_stamp_until(&victim->clock, &victim->shared->gaps, NULL, 0, end);
    const uint64_t ended = laxity_stamp(&victim->clock);
    laxity_anchor_stamps(&victim->clock, 1);
    for (unsigned i = 0; i < gaps->n; i++) {
        struct laxity_switch_row row = laxity_switch_row_of(victim, LAXITY_SWITCH_QUANTITY_SPIN);
        row.victim_last_ns = laxity_stamp_ns(&victim->clock, gaps->gaps[i].last);
        row.victim_first_ns = laxity_stamp_ns(&victim->clock, gaps->gaps[i].first);
        row.time_ns = row.victim_last_ns;
        if (laxity_switch_add_row(victim, &row)) {
            return 1;
        }
    }
    window.victim_last_ns = laxity_stamp_ns(&victim->clock, start);
    window.victim_first_ns = laxity_stamp_ns(&victim->clock, ended);
    window.time_ns = window.victim_last_ns;
    window.role = LAXITY_SWITCH_ROLE_CONTROL;
    laxity_switch_take_gaps(victim, window.time_ns, &window);
    return laxity_switch_add_row(victim, &window);
}

/* Returns 0, or -errno: -EBADMSG where the text is not understood, -EFBIG where it is too long. */
static int
count_interrupts(struct counting *counting, unsigned cpu, struct laxity_interrupts *out_counts)
{
    const int rc = laxity_read_text("/proc/interrupts", counting->text, sizeof counting->text);
    if (rc) {
        return rc;
    }
    /* Without its last lines, those of timers and calls, it says that nobody interrupted. */
    if (strlen(counting->text) == sizeof counting->text - 1) {
        return -EFBIG;
    }
    return laxity_interrupts_parse(counting->text, cpu, out_counts) ? 0 : -EBADMSG;
}

/* One gap, and one interrupt of this CPU or none: so it is known whose the gap is. */
static int take_window(struct laxity_switch_victim *victim, const struct counting *counting)
{
    const struct laxity_gaps *gaps = &victim->shared->gaps;
    const char *label = NULL;
    const uint64_t n = laxity_interrupts_since(&counting->before, &counting->after, &label);
    if (gaps->n != 1 || n > 1) {
        return 0;
    }
    struct laxity_switch_row row = laxity_switch_row_of(victim, LAXITY_SWITCH_QUANTITY_IRQ);
    row.victim_last_ns = laxity_stamp_ns(&victim->clock, gaps->gaps[0].last);
    row.victim_first_ns = laxity_stamp_ns(&victim->clock, gaps->gaps[0].first);
    row.time_ns = row.victim_last_ns;
    row.gaps = 1;
    if (label) {
        memcpy(row.interrupt, label, sizeof row.interrupt);
    }
    return laxity_switch_add_row(victim, &row);
}

static int observe_windows(struct laxity_switch_victim *victim, struct counting *counting)
{
    const struct laxity_switch_settings *settings = victim->run->plan->settings;
    int rc = 0;
    for (int64_t spun_ns = 0; spun_ns < settings->spin_ns && rc == 0;
         spun_ns += LAXITY_SWITCH_IRQ_NS) {
        rc = count_interrupts(counting, victim->cpu, &counting->before);
        laxity_anchor_stamps(&victim->clock, 0);
        const uint64_t end = laxity_stamp(&victim->clock) +
                             laxity_stamps_of_ns(&victim->clock, LAXITY_SWITCH_IRQ_NS);
        laxity_stamp_until(&victim->clock, &victim->shared->gaps, NULL, 0, end);
        laxity_anchor_stamps(&victim->clock, 1);
        rc = rc ? rc : count_interrupts(counting, victim->cpu, &counting->after);
        rc = rc ? rc : take_window(victim, counting);
        laxity_probe_pause(victim->run);
    }
    return rc;
}

int laxity_switch_measure_irqs(struct laxity_switch_victim *victim)
{
    struct counting *counting = calloc(1, sizeof *counting);
    const int rc = counting ? observe_windows(victim, counting) : -ENOMEM;
    free(counting);
    if (rc >= 0) {
        return rc;
    }
    char reason[LAXITY_ERROR_TEXT_BYTES];
    laxity_format(
        reason,
        sizeof reason,
        "/proc/interrupts tells no counts of CPU %u: %s",
        victim->cpu,
        strerrordesc_np(-rc)
    );
    laxity_probe_add_fallback(victim->run, "irq", "nothing", reason);
    return 0;
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "probes/machine.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "probes/probe.h"
#include "probes/working_set.h"
#include "schema/run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

enum {
    /* No observation runs so long without blocking. First a signal, then the kernel's SIGKILL. */
    RTTIME_SOFT_US = 3 * 1000000,
    RTTIME_HARD_US = 4 * 1000000,
    /* Work and pause 4 : 1 keep real-time load at 80 % of one CPU, below the 90 % that we allow. */
    PAUSE_DIVISOR = 4,
    PAUSE_AFTER_NS = 5 * LAXITY_NS_PER_MS,
};

const struct laxity_machine laxity_machine = {.clock = "CLOCK_MONOTONIC"};

int64_t laxity_machine_now_ns(void)
{
    return laxity_now_ns();
}

void laxity_machine_pause_ns(int64_t duration_ns)
{
    laxity_pause_ns(duration_ns);
}

void *laxity_map_inherited(size_t bytes)
{
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) {
        return NULL;
    }
    return memset(base, 0, bytes);
}

int laxity_probe_enter_policy(struct laxity_probe_run *run, int priority)
{
    /* Timers of OTHER are otherwise up to 50 us late on purpose (timer slack). */
    (void)prctl(PR_SET_TIMERSLACK, 1UL);
    const int rc = laxity_set_policy(LAXITY_POLICY_FIFO, priority);
    if (rc == 0) {
        (void)laxity_limit_rt_time(RTTIME_SOFT_US, RTTIME_HARD_US);
        run->shared->policy = LAXITY_POLICY_FIFO;
        run->is_placed = laxity_read_scheduling(0, &run->placed) == 0;
        return 0;
    }
    char reason[LAXITY_ERROR_TEXT_BYTES];
    const bool is_allowed = run->plan->is_unprivileged_allowed;
    const char *other_way = is_allowed ? "" : ", or use --allow-unprivileged";
    laxity_explain_policy_refusal(-rc, other_way, reason, sizeof reason);
    if (!is_allowed) {
        return laxity_refuse(
            &run->shared->error,
            LAXITY_EXIT_LACKING,
            "%s: cannot use fifo priority %d: %s",
            run->probe->name,
            priority,
            reason
        );
    }
    run->shared->policy = LAXITY_POLICY_OTHER;
    laxity_probe_add_fallback(run, "policy fifo", "other", reason);
    return 0;
}

int laxity_probe_go_to(struct laxity_probe_run *run, unsigned cpu)
{
    if (laxity_go_to_cpu(cpu) == 0) {
        run->place = (struct laxity_cpus){{0}};
        laxity_cpus_add(&run->place, cpu);
        return 0;
    }
    return laxity_refuse(
        &run->shared->error,
        LAXITY_EXIT_LACKING,
        "%s: cannot run on CPU %u; choose CPUs inside this process's cpuset",
        run->probe->name,
        cpu
    );
}

bool laxity_probe_is_in_place(const struct laxity_probe_run *run)
{
    struct laxity_scheduling now;
    char found[LAXITY_SCHEDULING_TEXT_BYTES];
    char planned[LAXITY_SCHEDULING_TEXT_BYTES];
    if (run->is_placed && laxity_read_scheduling(0, &now) == 0 &&
        !laxity_is_same_scheduling(&now, &run->placed)) {
        laxity_error_set(
            &run->shared->error,
            LAXITY_EXIT_NO_VERDICT,
            "%s: a measuring process was found under %s, planned was %s; let nothing change it, "
            "and measure again",
            run->probe->name,
            laxity_describe_scheduling(&now, found),
            laxity_describe_scheduling(&run->placed, planned)
        );
        return false;
    }
    struct laxity_cpus cpus;
    if (laxity_cpus_is_empty(&run->place) || laxity_get_affinity(&cpus)) {
        return true;
    }
    const struct laxity_cpus others = laxity_cpus_without(&cpus, &run->place);
    if (laxity_cpus_is_empty(&others)) {
        return true;
    }
    laxity_cpus_format(&cpus, found, sizeof found);
    laxity_cpus_format(&run->place, planned, sizeof planned);
    laxity_error_set(
        &run->shared->error,
        LAXITY_EXIT_NO_VERDICT,
        "%s: a measuring process was found on CPUs %s, planned was %s; let nothing move it, and "
        "measure again",
        run->probe->name,
        found,
        planned
    );
    return false;
}

void laxity_probe_pause(struct laxity_probe_run *run)
{
    const int64_t worked_ns = laxity_now_ns() - run->worked_since_ns;
    if (worked_ns >= PAUSE_AFTER_NS) {
        laxity_pause_ns(worked_ns / PAUSE_DIVISOR);
        run->worked_since_ns = laxity_now_ns();
    }
}

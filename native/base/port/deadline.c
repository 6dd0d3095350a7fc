/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/deadline.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/file.h"
#include "base/port/sched.h"
#include "base/port/sched_attributes.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* include/uapi/linux/sched.h */
enum {
    FLAG_RESET_ON_FORK = 1,
    CAPABILITY_SYS_NICE = 23,
    NS_PER_US = 1000,
    PERCENT = 100,
    STATUS_BYTES = 4096,
    VALUE_BYTES = 32,
    LIST_BYTES = 1024,
    SHOWN_LIST_BYTES = 32,
};

int laxity_reserve(const struct laxity_reservation *reservation)
{
#ifdef SYS_sched_setattr
    const struct laxity_sched_attributes attributes = {
        .size = sizeof attributes,
        .policy = LAXITY_KERNEL_DEADLINE,
        .flags = FLAG_RESET_ON_FORK,
        .runtime_ns = (uint64_t)reservation->runtime_ns,
        .deadline_ns = (uint64_t)reservation->deadline_ns,
        .period_ns = (uint64_t)reservation->period_ns,
    };
    return syscall(SYS_sched_setattr, 0, &attributes, 0U) == 0 ? 0 : -errno;
#else
    (void)reservation;
    return -ENOSYS;
#endif
}

bool laxity_is_fork_forbidden(void)
{
    /* With reset on fork another bit would be set in it. */
    return sched_getscheduler(0) == LAXITY_KERNEL_DEADLINE;
}

struct laxity_reservation
laxity_reservation_of_task(int64_t runtime_ns, int64_t deadline_ns, int64_t period_ns)
{
    const bool is_constrained = deadline_ns > 0 && deadline_ns < period_ns;
    return (struct laxity_reservation){
        .runtime_ns = runtime_ns,
        .deadline_ns = is_constrained ? deadline_ns : period_ns,
        .period_ns = period_ns,
    };
}

int laxity_check_reservation(const struct laxity_reservation *reservation, char *text, size_t bytes)
{
    if (reservation->runtime_ns < LAXITY_RESERVATION_RUNTIME_MIN_NS) {
        laxity_format(
            text,
            bytes,
            "runtime %" PRId64 " ns is below 1024 ns, the kernel's least; write a longer one",
            reservation->runtime_ns
        );
        return -EINVAL;
    }
    if (reservation->runtime_ns > reservation->deadline_ns) {
        laxity_format(
            text,
            bytes,
            "runtime %" PRId64 " ns is longer than the deadline, %" PRId64 " ns; shorten it",
            reservation->runtime_ns,
            reservation->deadline_ns
        );
        return -EINVAL;
    }
    if (reservation->deadline_ns > reservation->period_ns) {
        laxity_format(
            text,
            bytes,
            "deadline %" PRId64 " ns is longer than the period, %" PRId64 " ns; shorten it",
            reservation->deadline_ns,
            reservation->period_ns
        );
        return -EINVAL;
    }
    return 0;
}

static int64_t read_number(const char *path, int64_t otherwise)
{
    char text[VALUE_BYTES];
    return laxity_read_text(path, text, sizeof text) ? otherwise : strtoll(text, NULL, 10);
}

/* CapEff in /proc/self/status is a mask in hexadecimal. */
static bool has_capability_nice(void)
{
    char status[STATUS_BYTES];
    if (laxity_read_text("/proc/self/status", status, sizeof status)) {
        return false;
    }
    const char *line = strstr(status, "CapEff:");
    const uint64_t mask = line ? strtoull(line + sizeof "CapEff:" - 1, NULL, 16) : 0;
    return (mask >> CAPABILITY_SYS_NICE & 1U) != 0;
}

static void read_cpuset(struct laxity_cpus *out_cpus)
{
    char path[PATH_MAX];
    char list[LIST_BYTES];
    if (laxity_find_group_file("cpuset", "cpuset.effective_cpus", path, sizeof path) == 0 &&
        laxity_read_text(path, list, sizeof list) == 0) {
        list[strcspn(list, "\n")] = '\0';
        (void)laxity_cpus_parse(list, out_cpus);
    }
}

void laxity_read_deadline_facts(struct laxity_deadline_facts *out_facts)
{
    *out_facts = (struct laxity_deadline_facts){
        .may_nice = has_capability_nice(),
        .period_min_us = read_number("/proc/sys/kernel/sched_deadline_period_min_us", -1),
        .period_max_us = read_number("/proc/sys/kernel/sched_deadline_period_max_us", -1),
        .rt_runtime_us =
            read_number("/proc/sys/kernel/sched_rt_runtime_us", LAXITY_RT_RUNTIME_UNKNOWN),
        .rt_period_us = read_number("/proc/sys/kernel/sched_rt_period_us", -1),
    };
    (void)laxity_get_online_cpus(&out_facts->online);
    (void)laxity_get_affinity(&out_facts->affinity);
    read_cpuset(&out_facts->cpuset);
}

static bool covers(const struct laxity_cpus *cpus, const struct laxity_cpus *all)
{
    const struct laxity_cpus rest = laxity_cpus_without(all, cpus);
    return laxity_cpus_is_empty(&rest);
}

static void explain_invalid(
    const struct laxity_reservation *reservation,
    const struct laxity_deadline_facts *facts,
    char *text,
    size_t bytes
)
{
    if (laxity_check_reservation(reservation, text, bytes)) {
        return;
    }
    if (facts->period_min_us >= 0 && reservation->period_ns < facts->period_min_us * NS_PER_US) {
        laxity_format(
            text,
            bytes,
            "period %" PRId64 " ns is below sched_deadline_period_min_us (%" PRId64
            "); choose a longer one, or fifo",
            reservation->period_ns,
            facts->period_min_us
        );
        return;
    }
    if (facts->period_max_us >= 0 && reservation->period_ns > facts->period_max_us * NS_PER_US) {
        laxity_format(
            text,
            bytes,
            "period %" PRId64 " ns is above sched_deadline_period_max_us (%" PRId64
            "); choose a shorter one, or fifo",
            reservation->period_ns,
            facts->period_max_us
        );
        return;
    }
    laxity_format(text, bytes, "this kernel has no SCHED_DEADLINE (EINVAL); use fifo");
}

static void explain_forbidden(const struct laxity_deadline_facts *facts, char *text, size_t bytes)
{
    char own[SHOWN_LIST_BYTES];
    char all[SHOWN_LIST_BYTES];
    laxity_cpus_format(&facts->online, all, sizeof all);
    if (!facts->may_nice) {
        laxity_format(
            text,
            bytes,
            "no permission: it needs CAP_SYS_NICE whatever RLIMIT_RTPRIO allows; run as root"
        );
        return;
    }
    if (facts->rt_runtime_us == 0) {
        laxity_format(
            text, bytes, "kernel.sched_rt_runtime_us is 0: no real-time work at all; write 950000"
        );
        return;
    }
    if (!laxity_cpus_is_empty(&facts->cpuset) && !covers(&facts->cpuset, &facts->online) &&
        covers(&facts->affinity, &facts->cpuset)) {
        laxity_cpus_format(&facts->cpuset, own, sizeof own);
        laxity_format(
            text,
            bytes,
            "cpuset %s is no scheduling domain of its own; make it exclusive, and "
            "sched_load_balance 0 in the one above",
            own
        );
        return;
    }
    laxity_cpus_format(&facts->affinity, own, sizeof own);
    laxity_format(
        text,
        bytes,
        "bound to CPUs %s of %s; use all, an exclusive cpuset, or kernel.sched_rt_runtime_us -1 "
        "(laxity run --no-throttling)",
        own,
        all
    );
}

void laxity_explain_reservation_refusal(
    int error_number,
    const struct laxity_reservation *reservation,
    const struct laxity_deadline_facts *facts,
    char *text,
    size_t bytes
)
{
    switch (error_number) {
    case EINVAL:
        explain_invalid(reservation, facts, text, bytes);
        return;
    case EPERM:
        explain_forbidden(facts, text, bytes);
        return;
    case EBUSY:
        laxity_format(
            text,
            bytes,
            "%" PRId64 " %% of a CPU is more than SCHED_DEADLINE has left (sched_rt_runtime_us "
            "%" PRId64 "); lower runtime, or end others",
            reservation->runtime_ns * PERCENT / reservation->period_ns,
            facts->rt_runtime_us
        );
        return;
    case ENOSYS:
        laxity_format(text, bytes, "this system has no sched_setattr; use fifo");
        return;
    default:
        laxity_format(text, bytes, "the kernel refused it (errno %d); use fifo", error_number);
        return;
    }
}

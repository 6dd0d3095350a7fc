/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/sched.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/file.h"
#include "base/port/sched_attributes.h"
#include "schema/run.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    CPU_LIST_BYTES = 4096,
    CGROUP_TEXT_BYTES = 4096,
    WORD_CPUS = 8 * sizeof(unsigned long), /* of a cpu_set_t */
};

int laxity_read_scheduling(int32_t tid, struct laxity_scheduling *out_scheduling)
{
#ifdef SYS_sched_getattr
    struct laxity_sched_attributes got = {.size = 0};
    if (syscall(SYS_sched_getattr, tid, &got, (unsigned)sizeof got, 0U) != 0) {
        return -errno;
    }
    *out_scheduling = (struct laxity_scheduling){.policy = got.policy};
    if (got.policy == SCHED_FIFO || got.policy == SCHED_RR) {
        out_scheduling->priority = (int32_t)got.priority;
    } else if (got.policy == LAXITY_KERNEL_DEADLINE) {
        out_scheduling->runtime_ns = (int64_t)got.runtime_ns;
        out_scheduling->deadline_ns = (int64_t)got.deadline_ns;
        out_scheduling->period_ns = (int64_t)got.period_ns;
    } else {
        out_scheduling->nice = got.nice;
    }
    return 0;
#else
    (void)tid;
    (void)out_scheduling;
    return -ENOSYS;
#endif
}

bool laxity_is_same_scheduling(const struct laxity_scheduling *a, const struct laxity_scheduling *b)
{
    return a->policy == b->policy && a->priority == b->priority && a->nice == b->nice &&
           a->runtime_ns == b->runtime_ns && a->deadline_ns == b->deadline_ns &&
           a->period_ns == b->period_ns;
}

const char *laxity_describe_scheduling(
    const struct laxity_scheduling *scheduling, char text[LAXITY_SCHEDULING_TEXT_BYTES]
)
{
    static const char *const names[] = {
        [SCHED_OTHER] = "other",
        [SCHED_FIFO] = "fifo",
        [SCHED_RR] = "rr",
        [SCHED_BATCH] = "batch",
        [SCHED_IDLE] = "idle",
        [LAXITY_KERNEL_DEADLINE] = "deadline",
        [LAXITY_KERNEL_DEADLINE + 1] = "ext",
    };
    const size_t bytes = LAXITY_SCHEDULING_TEXT_BYTES;
    const uint32_t policy = scheduling->policy;
    const char *name = policy < sizeof names / sizeof names[0] ? names[policy] : NULL;
    if (!name) {
        laxity_format(text, bytes, "policy %u", (unsigned)policy);
    } else if (scheduling->priority != 0) {
        laxity_format(text, bytes, "%s priority %d", name, (int)scheduling->priority);
    } else if (scheduling->nice != 0) {
        laxity_format(text, bytes, "%s nice %d", name, (int)scheduling->nice);
    } else if (scheduling->runtime_ns != 0) {
        laxity_format(
            text,
            bytes,
            "%s %" PRId64 "/%" PRId64 "/%" PRId64 " us",
            name,
            scheduling->runtime_ns / 1000,
            scheduling->deadline_ns / 1000,
            scheduling->period_ns / 1000
        );
    } else {
        laxity_format(text, bytes, "%s", name);
    }
    return text;
}

/* Few of the words hold a CPU: it is called after every job. */
int laxity_get_thread_affinity(int32_t tid, struct laxity_cpus *out_cpus)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(tid, sizeof set, &set) != 0) {
        return -errno;
    }
    unsigned long words[CPU_SETSIZE / WORD_CPUS];
    memcpy(words, &set, sizeof words);
    struct laxity_cpus cpus = {{0}};
    for (unsigned word = 0; word < sizeof words / sizeof words[0]; word++) {
        for (unsigned bit = 0; words[word] != 0 && bit < WORD_CPUS; bit++) {
            if ((words[word] >> bit & 1UL) != 0) {
                laxity_cpus_add(&cpus, word * (unsigned)WORD_CPUS + bit);
            }
        }
    }
    *out_cpus = cpus;
    return 0;
}

int laxity_get_affinity(struct laxity_cpus *out_cpus)
{
    return laxity_get_thread_affinity(0, out_cpus);
}

int laxity_set_affinity(const struct laxity_cpus *cpus)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (laxity_cpus_has(cpus, cpu)) {
            CPU_SET(cpu, &set);
        }
    }
    return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : -errno;
}

int laxity_go_to_cpu(unsigned cpu)
{
    struct laxity_cpus one = {{0}};
    laxity_cpus_add(&one, cpu);
    return laxity_set_affinity(&one);
}

int laxity_get_online_cpus(struct laxity_cpus *out_cpus)
{
    char list[CPU_LIST_BYTES];
    if (laxity_read_text("/sys/devices/system/cpu/online", list, sizeof list) == 0) {
        list[strcspn(list, "\n")] = '\0';
        if (laxity_cpus_parse(list, out_cpus) == 0) {
            return 0;
        }
    }
    return laxity_get_affinity(out_cpus);
}

int laxity_set_policy(enum laxity_policy policy, int priority)
{
    static const int kernel_policy[] = {
        [LAXITY_POLICY_OTHER] = SCHED_OTHER,
        [LAXITY_POLICY_FIFO] = SCHED_FIFO,
        [LAXITY_POLICY_RR] = SCHED_RR,
    };
    if (policy == LAXITY_POLICY_DEADLINE) {
        return -EINVAL; /* it has times instead of a priority */
    }
    const struct sched_param param = {
        .sched_priority = policy == LAXITY_POLICY_OTHER ? 0 : priority,
    };
    return sched_setscheduler(0, kernel_policy[policy], &param) == 0 ? 0 : -errno;
}

/* Is `name` one of a list such as "cpu,cpuacct"? */
static bool has_controller(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

int laxity_find_group_file(const char *controller, const char *name, char *path, size_t bytes)
{
    char groups[CGROUP_TEXT_BYTES];
    if (laxity_read_text("/proc/self/cgroup", groups, sizeof groups) != 0) {
        return -ENOENT;
    }
    char *rest = groups;
    for (char *line = rest; line; line = rest) {
        rest = strchr(line, '\n');
        if (rest) {
            *rest++ = '\0';
        }
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group) {
            continue;
        }
        *group++ = '\0';
        controllers++;
        if (controllers[0] == '\0' && controller[0] == '\0') {
            laxity_format(path, bytes, "/sys/fs/cgroup%s/%s", group, name);
            return 0;
        }
        if (controllers[0] != '\0' && has_controller(controllers, controller)) {
            laxity_format(path, bytes, "/sys/fs/cgroup/%s%s/%s", controllers, group, name);
            return 0;
        }
    }
    return -ENOENT;
}

/* The real-time budget of the caller's own cgroup (version 1, cpu controller), -1 if there is no
 * such thing. */
static long read_group_rt_runtime_us(char *file, size_t bytes)
{
    char value[32];
    if (laxity_find_group_file("cpu", "cpu.rt_runtime_us", file, bytes) ||
        laxity_read_text(file, value, sizeof value)) {
        return -1;
    }
    return strtol(value, NULL, 10);
}

void laxity_explain_policy_refusal(
    int error_number, const char *other_way, char *text, size_t bytes
)
{
    char file[PATH_MAX];
    if (read_group_rt_runtime_us(file, sizeof file) == 0) {
        laxity_format(
            text,
            bytes,
            "the real-time budget of this control group is 0 (%s); write one there%s",
            file,
            other_way
        );
        return;
    }
    struct rlimit limit;
    if (error_number == EPERM && getrlimit(RLIMIT_RTPRIO, &limit) == 0) {
        laxity_format(
            text,
            bytes,
            "no permission (RLIMIT_RTPRIO is %llu); run as root or raise rtprio in limits.conf%s",
            (unsigned long long)limit.rlim_cur,
            other_way
        );
        return;
    }
    laxity_format(text, bytes, "the kernel refused it (errno %d)%s", error_number, other_way);
}

void laxity_explain_affinity_refusal(int error_number, char *text, size_t bytes)
{
    if (error_number == EINVAL) {
        laxity_format(
            text, bytes, "none is online and in this process's cpuset; choose among those"
        );
    } else if (error_number == EBUSY) {
        laxity_format(
            text,
            bytes,
            "it is under SCHED_DEADLINE already and cannot be moved; use another policy"
        );
    } else {
        laxity_format(
            text, bytes, "%s; choose CPUs of this process's cpuset", strerrordesc_np(error_number)
        );
    }
}

int laxity_limit_rt_time(uint64_t soft_us, uint64_t hard_us)
{
    const struct rlimit limit = {.rlim_cur = soft_us, .rlim_max = hard_us};
    return setrlimit(RLIMIT_RTTIME, &limit) == 0 ? 0 : -errno;
}

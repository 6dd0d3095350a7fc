/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "guests/attributes.h"

#include "guests/fnv.h"
#include "guests/guest_call.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    STATUS_BYTES = 8192,
    PAGE_BYTES = 4096, /* the least of all machines here */
    DECIMAL = 10,
};

static uint64_t hash_environment(void)
{
    uint64_t hash = LAXITY_FNV_BASIS;
    for (char **variable = environ; variable && *variable; variable++) {
        for (const char *at = *variable; *at != '\0'; at++) {
            hash = laxity_fnv_add(hash, (unsigned char)*at);
        }
        hash = laxity_fnv_add(hash, '\0');
    }
    return hash;
}

/* One page more is mapped for it: who has said that what comes is to be locked has locked nothing
 * yet. */
static uint64_t read_locked_kib(void)
{
    static char text[STATUS_BYTES];
    void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) {
        (void)close(fd);
    }
    if (page != MAP_FAILED) {
        (void)munmap(page, PAGE_BYTES);
    }
    text[n > 0 ? n : 0] = '\0';
    const char *line = strstr(text, "VmLck:");
    return line ? strtoull(line + strlen("VmLck:"), NULL, DECIMAL) : 0;
}

/* Which exceptions of arithmetic are traps. */
static int read_traps(void)
{
#if defined __powerpc__
    /* fegetexcept() and what sets them take instructions that not each such processor has. */
    enum {
        ENABLED_BITS = 0xf8 /* VE, OE, UE, ZE, XE of the FPSCR */
    };
    fenv_t environment;
    uint64_t bits = 0;
    _Static_assert(sizeof environment == sizeof bits, "the FPSCR as a double");
    (void)fegetenv(&environment);
    memcpy(&bits, &environment, sizeof bits);
    return (int)(bits & ENABLED_BITS);
#else
    return fegetexcept();
#endif
}

#if defined __x86_64__ || defined __i386__

enum {
    MXCSR_FLAGS = 0x3f, /* what has happened; each job begins without (isolation.c) */
    X87_TAGS_SHIFT = 16,
};

/* As fnstenv writes it. */
struct x87_environment {
    uint32_t control;
    uint32_t status;
    uint32_t tags;
    uint32_t rest[4];
};

static void read_control(struct laxity_attributes *now)
{
    struct x87_environment environment;
    uint32_t control = 0;
    __asm__ volatile("stmxcsr %0" : "=m"(control));
    /* It masks all exceptions, and is put back therefore. */
    __asm__ volatile("fnstenv %0\n\tfldenv %0" : "+m"(environment));
    now->control = control & ~(uint32_t)MXCSR_FLAGS;
    now->x87 = (environment.control & UINT16_MAX) | environment.tags << X87_TAGS_SHIFT;
}

static void write_control(const struct laxity_attributes *before)
{
    const uint16_t control = (uint16_t)before->x87;
    /* Also empties the stack of the x87, as it was: a call leaves it so. */
    __asm__ volatile("fninit\n\tfldcw %0" : : "m"(control));
    __asm__ volatile("ldmxcsr %0" : : "m"(before->control));
}

#elif defined __aarch64__

static void read_control(struct laxity_attributes *now)
{
    uint64_t control = 0;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    now->control = (uint32_t)control;
}

static void write_control(const struct laxity_attributes *before)
{
    const uint64_t control = before->control;
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
}

#elif defined __arm__ && defined __ARM_FP

enum {
    FPSCR_CONTROL = 0x07ff9f00 /* all but conditions, saturation and what has happened */
};

static uint32_t read_fpscr(void)
{
    uint32_t control = 0;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(control));
    return control;
}

static void read_control(struct laxity_attributes *now)
{
    now->control = read_fpscr() & FPSCR_CONTROL;
}

static void write_control(const struct laxity_attributes *before)
{
    const uint32_t control = (read_fpscr() & ~(uint32_t)FPSCR_CONTROL) | before->control;
    __asm__ volatile("vmsr fpscr, %0" : : "r"(control));
}

#else

/* Rounding and traps are all that there is. */
static void read_control(struct laxity_attributes *now)
{
    now->control = 0;
}

static void write_control(const struct laxity_attributes *before)
{
    (void)before;
}

#endif

/* What a system does not know stays 0 in each look. */
void laxity_attributes_look(struct laxity_attributes *out_attributes, bool with_locks)
{
    struct laxity_attributes now;
    struct sched_param parameters = {.sched_priority = 0};
    memset(&now, 0, sizeof now); /* also what lies between members, and CPUs that there are not */
    now.policy = sched_getscheduler(0);
    (void)sched_getparam(0, &parameters);
    now.priority = parameters.sched_priority;
    now.nice = getpriority(PRIO_PROCESS, 0);
    (void)sched_getaffinity(0, sizeof now.cpus, &now.cpus);
    for (int limit = 0; limit < RLIMIT_NLIMITS; limit++) {
        (void)getrlimit((__rlimit_resource_t)limit, &now.limits[limit]);
    }
    for (int timer = 0; timer < LAXITY_TIMERS; timer++) {
        struct itimerval left = {.it_value = {0, 0}};
        (void)getitimer((__itimer_which_t)timer, &left);
        now.is_armed[timer] = left.it_value.tv_sec != 0 || left.it_value.tv_usec != 0;
    }
    now.mask = umask(0);
    (void)umask(now.mask);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &now.signals);
    (void)sigpending(&now.pending);
    (void)sigaltstack(NULL, &now.alternate);
    now.rounding = fegetround();
    now.traps = read_traps();
    read_control(&now);
    now.n_exit_handlers = laxity_guest_exit_handlers();
    now.environment = environ;
    now.environment_hash = hash_environment();
    now.locked_kib = with_locks ? read_locked_kib() : 0;
    *out_attributes = now;
}

static bool
has_same_limits(const struct laxity_attributes *one, const struct laxity_attributes *two)
{
    for (int limit = 0; limit < RLIMIT_NLIMITS; limit++) {
        if (one->limits[limit].rlim_cur != two->limits[limit].rlim_cur ||
            one->limits[limit].rlim_max != two->limits[limit].rlim_max) {
            return false;
        }
    }
    return true;
}

uint32_t laxity_attributes_differ(
    const struct laxity_attributes *before, const struct laxity_attributes *now
)
{
    const bool is_changed[LAXITY_ATTRIBUTES] = {
        [LAXITY_ATTRIBUTE_POLICY] =
            now->policy != before->policy || now->priority != before->priority,
        [LAXITY_ATTRIBUTE_NICE] = now->nice != before->nice,
        [LAXITY_ATTRIBUTE_CPUS] = CPU_EQUAL(&now->cpus, &before->cpus) == 0,
        [LAXITY_ATTRIBUTE_LIMITS] = !has_same_limits(before, now),
        [LAXITY_ATTRIBUTE_TIMERS] =
            memcmp(now->is_armed, before->is_armed, sizeof now->is_armed) != 0,
        [LAXITY_ATTRIBUTE_MASK] = now->mask != before->mask,
        [LAXITY_ATTRIBUTE_SIGNALS] =
            memcmp(&now->signals, &before->signals, sizeof now->signals) != 0 ||
            memcmp(&now->pending, &before->pending, sizeof now->pending) != 0,
        [LAXITY_ATTRIBUTE_ALTERNATE_STACK] = now->alternate.ss_sp != before->alternate.ss_sp ||
                                             now->alternate.ss_size != before->alternate.ss_size ||
                                             now->alternate.ss_flags != before->alternate.ss_flags,
        [LAXITY_ATTRIBUTE_ROUNDING] = now->rounding != before->rounding ||
                                      now->traps != before->traps ||
                                      now->control != before->control || now->x87 != before->x87,
        [LAXITY_ATTRIBUTE_EXIT_HANDLERS] = now->n_exit_handlers != before->n_exit_handlers,
        [LAXITY_ATTRIBUTE_ENVIRONMENT] = now->environment_hash != before->environment_hash,
        [LAXITY_ATTRIBUTE_LOCKS] = now->locked_kib != before->locked_kib,
    };
    uint32_t bits = 0;
    for (int attribute = 0; attribute < LAXITY_ATTRIBUTES; attribute++) {
        bits |= (uint32_t)is_changed[attribute] << attribute;
    }
    return bits;
}

static void restore_limits(const struct laxity_attributes *before)
{
    for (int limit = 0; limit < RLIMIT_NLIMITS; limit++) {
        (void)setrlimit((__rlimit_resource_t)limit, &before->limits[limit]);
    }
}

/* A timer that was armed before the job goes on by itself; one that was not is stopped. */
static void stop_timers(const struct laxity_attributes *before)
{
    const struct itimerval stopped = {.it_value = {0, 0}};
    for (int timer = 0; timer < LAXITY_TIMERS; timer++) {
        if (!before->is_armed[timer]) {
            (void)setitimer((__itimer_which_t)timer, &stopped, NULL);
        }
    }
}

static void restore_rounding(const struct laxity_attributes *before)
{
    (void)fesetround(before->rounding);
#if !defined __powerpc__ /* read_traps() */
    (void)fedisableexcept(FE_ALL_EXCEPT);
    (void)feenableexcept(before->traps);
#endif
    write_control(before);
}

static void restore_one(const struct laxity_attributes *before, enum laxity_attribute attribute)
{
    const struct sched_param parameters = {.sched_priority = before->priority};
    switch (attribute) {
    case LAXITY_ATTRIBUTE_POLICY:
        (void)sched_setscheduler(0, before->policy, &parameters);
        break;
    case LAXITY_ATTRIBUTE_NICE:
        (void)setpriority(PRIO_PROCESS, 0, before->nice);
        break;
    case LAXITY_ATTRIBUTE_CPUS:
        (void)sched_setaffinity(0, sizeof before->cpus, &before->cpus);
        break;
    case LAXITY_ATTRIBUTE_LIMITS:
        restore_limits(before);
        break;
    case LAXITY_ATTRIBUTE_TIMERS:
        stop_timers(before);
        break;
    case LAXITY_ATTRIBUTE_MASK:
        (void)umask(before->mask);
        break;
    case LAXITY_ATTRIBUTE_SIGNALS:
        (void)pthread_sigmask(SIG_SETMASK, &before->signals, NULL);
        break;
    case LAXITY_ATTRIBUTE_ALTERNATE_STACK:
        (void)sigaltstack(&before->alternate, NULL);
        break;
    case LAXITY_ATTRIBUTE_ROUNDING:
        restore_rounding(before);
        break;
    case LAXITY_ATTRIBUTE_ENVIRONMENT:
        /* The C library changes a copy: what it began with is as it was. */
        environ = before->environment;
        break;
    case LAXITY_ATTRIBUTE_EXIT_HANDLERS:
        laxity_guest_exit_handlers_keep(before->n_exit_handlers);
        break;
    case LAXITY_ATTRIBUTE_LOCKS:
    case LAXITY_ATTRIBUTE_HELD:
    case LAXITY_ATTRIBUTE_MAPPINGS:
    case LAXITY_ATTRIBUTE_RANDOM:
    case LAXITY_ATTRIBUTES:
        break;
    }
}

void laxity_attributes_restore(const struct laxity_attributes *before)
{
    struct laxity_attributes now;
    laxity_attributes_look(&now, false);
    const uint32_t bits = laxity_attributes_differ(before, &now);
    for (int attribute = 0; attribute < LAXITY_ATTRIBUTES; attribute++) {
        if ((bits >> attribute & 1) != 0) {
            restore_one(before, (enum laxity_attribute)attribute);
        }
    }
}

const char *laxity_attribute_name(enum laxity_attribute attribute)
{
    static const char *const names[LAXITY_ATTRIBUTES] = {
        [LAXITY_ATTRIBUTE_POLICY] = "scheduling policy",
        [LAXITY_ATTRIBUTE_NICE] = "nice value",
        [LAXITY_ATTRIBUTE_CPUS] = "CPUs",
        [LAXITY_ATTRIBUTE_LIMITS] = "resource limits",
        [LAXITY_ATTRIBUTE_TIMERS] = "timers",
        [LAXITY_ATTRIBUTE_MASK] = "file mask",
        [LAXITY_ATTRIBUTE_SIGNALS] = "blocked or pending signals",
        [LAXITY_ATTRIBUTE_ALTERNATE_STACK] = "alternate signal stack",
        [LAXITY_ATTRIBUTE_ROUNDING] = "floating-point control",
        [LAXITY_ATTRIBUTE_ENVIRONMENT] = "environment",
        [LAXITY_ATTRIBUTE_EXIT_HANDLERS] = "exit handlers",
        [LAXITY_ATTRIBUTE_LOCKS] = "locked memory",
        [LAXITY_ATTRIBUTE_HELD] = "descriptors, or their offsets",
        [LAXITY_ATTRIBUTE_MAPPINGS] = "memory mappings",
        [LAXITY_ATTRIBUTE_RANDOM] = "random numbers without a seed",
    };
    return names[attribute];
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A guard holds its CPU when a lease has expired, and best-effort work stands still. */
#include "../test.h"
#include "base/cpus.h"
#include "base/port/atomic64.h"
#include "base/port/sched.h"
#include "base/port/time.h"
#include "guard/guard.h"
#include "guard/lease.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PATIENCE_S = 5,
    LONG_LEASE_S = 60,
    SHORT_NS = 5 * LAXITY_NS_PER_MS,
    POPULATED_BYTES = 256 << 20,
};

/* A guard and best-effort work on one CPU, this process on another. */
struct scene {
    struct laxity_lease lease;
    struct laxity_atomic64 progress; /* of best-effort work */
    _Atomic uint32_t refusal;        /* errno of the guard */
    _Atomic uint32_t is_ready;
    int timer_fd;
    int populated_fd;
    pid_t guard;
    pid_t work;
};

static void die_with_the_test(void)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void play_guard(struct scene *scene, unsigned cpu)
{
    die_with_the_test();
    const int rc = laxity_guard_enter(cpu, LAXITY_GUARD_PRIORITY);
    atomic_store(&scene->refusal, (uint32_t)-rc);
    atomic_store(&scene->is_ready, 1);
    if (rc == 0) {
        laxity_guard_run(&scene->lease, scene->timer_fd);
    }
    _exit(0);
}

/* Always at work, as far as it is let. */
static void play_work(struct scene *scene, unsigned cpu)
{
    die_with_the_test();
    (void)laxity_go_to_cpu(cpu);
    (void)laxity_set_policy(LAXITY_POLICY_RR, LAXITY_BEST_EFFORT_PRIORITY);
    for (;;) {
        laxity_atomic64_increment(&scene->progress);
    }
}

/* At work in the kernel: one system call fills a large mapping. QEMU only maps it, and the second
 * call fills the file. */
static void play_long_call(struct scene *scene, unsigned cpu)
{
    die_with_the_test();
    (void)laxity_go_to_cpu(cpu);
    (void)laxity_set_policy(LAXITY_POLICY_RR, LAXITY_BEST_EFFORT_PRIORITY);
    const void *area = mmap(
        NULL,
        POPULATED_BYTES,
        PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_POPULATE,
        scene->populated_fd,
        0
    );
    if (area == MAP_FAILED || fallocate(scene->populated_fd, 0, 0, POPULATED_BYTES) != 0) {
        return;
    }
    for (;;) {
        (void)pause();
    }
}

/* The last two CPUs that this process may use; false: there is one. */
static bool choose_cpus(unsigned *out_own, unsigned *out_guarded)
{
    /* As at first: later this process is on one. */
    static struct laxity_cpus cpus;
    unsigned n = 0;
    if (laxity_cpus_is_empty(&cpus)) {
        CHECK_EQUAL(laxity_get_affinity(&cpus), 0);
    }
    for (unsigned cpu = 0; cpu < LAXITY_CPUS_MAX; cpu++) {
        if (laxity_cpus_has(&cpus, cpu)) {
            *out_guarded = *out_own;
            *out_own = cpu;
            n++;
        }
    }
    return n >= 2;
}

static bool has_within(bool (*is_so)(const struct scene *scene), const struct scene *scene)
{
    const int64_t end_ns = laxity_now_ns() + (int64_t)PATIENCE_S * LAXITY_NS_PER_S;
    while (!is_so(scene) && laxity_now_ns() < end_ns) {
        laxity_pause_ns(LAXITY_NS_PER_MS / 10);
    }
    return is_so(scene);
}

static bool is_ready(const struct scene *scene)
{
    return atomic_load(&scene->is_ready) != 0;
}

static uint64_t populated_bytes(const struct scene *scene)
{
    enum {
        BLOCK_BYTES = 512
    };
    struct stat status = {.st_blocks = 0};
    CHECK_EQUAL(fstat(scene->populated_fd, &status), 0);
    return (uint64_t)status.st_blocks * BLOCK_BYTES;
}

static uint64_t progress_of(const struct scene *scene)
{
    return laxity_atomic64_load(&scene->progress) + populated_bytes(scene);
}

static bool is_at_work(const struct scene *scene)
{
    return progress_of(scene) > 0;
}

static bool is_populated(const struct scene *scene)
{
    return populated_bytes(scene) >= POPULATED_BYTES;
}

static bool is_held(const struct scene *scene)
{
    return laxity_lease_look(&scene->lease).is_held;
}

static bool is_free(const struct scene *scene)
{
    return !is_held(scene);
}

static void end(struct scene *scene)
{
    laxity_lease_end(&scene->lease, scene->timer_fd);
    (void)kill(scene->work, SIGKILL);
    (void)waitpid(scene->work, NULL, 0);
    CHECK_EQUAL(waitpid(scene->guard, NULL, 0), scene->guard);
    (void)close(scene->timer_fd);
    (void)close(scene->populated_fd);
    (void)munmap(scene, sizeof *scene);
}

static pid_t
start(void (*play)(struct scene *scene, unsigned cpu), struct scene *scene, unsigned cpu)
{
    const pid_t pid = fork();
    if (pid == 0) {
        play(scene, cpu);
        _exit(0);
    }
    CHECK(pid > 0);
    return pid;
}

/* NULL with the reason if no CPU can be guarded here. */
static struct scene *begin(void (*play)(struct scene *scene, unsigned cpu), const char **out_lacks)
{
    unsigned own = 0;
    unsigned guarded = 0;
    *out_lacks = "a second CPU";
    if (!choose_cpus(&own, &guarded)) {
        return NULL;
    }
    void *shared =
        mmap(NULL, sizeof(struct scene), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *out_lacks = "memory";
    if (shared == MAP_FAILED) {
        return NULL;
    }
    struct scene *scene = shared;
    CHECK_EQUAL(laxity_go_to_cpu(own), 0);
    scene->timer_fd = laxity_lease_timer();
    scene->populated_fd = memfd_create("populated", MFD_CLOEXEC);
    CHECK_EQUAL(ftruncate(scene->populated_fd, POPULATED_BYTES), 0);
    CHECK(scene->timer_fd >= 0);
    scene->guard = start(play_guard, scene, guarded);
    CHECK(has_within(is_ready, scene));
    scene->work = start(play, scene, guarded);
    if (atomic_load(&scene->refusal) == EPERM) {
        *out_lacks = "the right to use SCHED_FIFO";
        end(scene);
        return NULL;
    }
    CHECK_EQUAL(atomic_load(&scene->refusal), 0);
    CHECK(has_within(is_at_work, scene));
    return scene;
}

/* The wait is long: on a loaded machine the work may not run at once. */
static bool goes_on(const struct scene *scene)
{
    const uint64_t before = progress_of(scene);
    const int64_t end_ns = laxity_now_ns() + (int64_t)PATIENCE_S * LAXITY_NS_PER_S;
    while (progress_of(scene) == before && laxity_now_ns() < end_ns) {
        laxity_pause_ns(SHORT_NS);
    }
    return progress_of(scene) != before;
}

static bool makes_progress(const struct scene *scene)
{
    const uint64_t before = progress_of(scene);
    laxity_pause_ns(SHORT_NS);
    return progress_of(scene) != before;
}

static void stop(struct scene *scene)
{
    laxity_lease_stop(&scene->lease, scene->timer_fd);
    CHECK(has_within(is_held, scene));
    CHECK(!makes_progress(scene));
}

static int64_t long_lease(void)
{
    return laxity_now_ns() + (int64_t)LONG_LEASE_S * LAXITY_NS_PER_S;
}

static void work_stands_still_once_its_lease_has_expired_though_nobody_says_stop(void)
{
    const char *lacks = NULL;
    struct scene *scene = begin(play_work, &lacks);
    if (!scene) {
        SKIP(lacks);
    }
    const int64_t until_ns = laxity_now_ns() + SHORT_NS;
    laxity_lease_renew(&scene->lease, scene->timer_fd, until_ns);
    CHECK(has_within(is_held, scene));
    CHECK(laxity_lease_look(&scene->lease).since_ns >= until_ns);
    CHECK(!makes_progress(scene));
    CHECK_EQUAL(laxity_lease_look(&scene->lease).holds, 1);
    end(scene);
}

static void stopped_work_goes_on_after_a_resume_and_not_after_a_renewal(void)
{
    const char *lacks = NULL;
    struct scene *scene = begin(play_work, &lacks);
    if (!scene) {
        SKIP(lacks);
    }
    stop(scene);
    laxity_lease_renew(&scene->lease, scene->timer_fd, long_lease());
    CHECK(!makes_progress(scene));
    laxity_lease_resume(&scene->lease, scene->timer_fd, long_lease());
    CHECK(has_within(is_free, scene));
    CHECK(goes_on(scene));
    stop(scene);
    CHECK_EQUAL(laxity_lease_look(&scene->lease).holds, 2);
    end(scene);
}

static void a_resume_whose_lease_is_over_lets_no_work_go(void)
{
    const char *lacks = NULL;
    struct scene *scene = begin(play_work, &lacks);
    if (!scene) {
        SKIP(lacks);
    }
    laxity_lease_stop(&scene->lease, scene->timer_fd);
    CHECK(has_within(is_held, scene));
    laxity_lease_resume(&scene->lease, scene->timer_fd, laxity_now_ns() - 1);
    CHECK(!makes_progress(scene));
    CHECK_EQUAL(laxity_lease_look(&scene->lease).holds, 1);
    end(scene);
}

/* A freezer, or SIGSTOP, waits for the end of the call. */
static void work_within_a_long_system_call_stands_still(void)
{
    const char *lacks = NULL;
    struct scene *scene = begin(play_long_call, &lacks);
    if (!scene) {
        SKIP(lacks);
    }
    laxity_lease_stop(&scene->lease, scene->timer_fd);
    CHECK(has_within(is_held, scene));
    CHECK(!makes_progress(scene));
    laxity_lease_resume(&scene->lease, scene->timer_fd, long_lease());
    CHECK(has_within(is_populated, scene));
    end(scene);
}

int main(void)
{
    RUN(work_stands_still_once_its_lease_has_expired_though_nobody_says_stop);
    RUN(stopped_work_goes_on_after_a_resume_and_not_after_a_renewal);
    RUN(a_resume_whose_lease_is_over_lets_no_work_go);
    RUN(work_within_a_long_system_call_stands_still);
    return test_exit_code();
}

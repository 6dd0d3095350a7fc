/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "../test.h"
#include "base/port/tracefs.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PATH_BYTES = 256,
    TEXT_BYTES = 4096
};

/* In a process of another PID namespace with its own /proc: there our process looks gone. Returns
 * the exit code: 0 = done. */
static int remove_left_elsewhere(void)
{
    int status = 0;
    const pid_t outer = fork();
    if (outer == 0) {
        if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) {
            _exit(1);
        }
        const pid_t inner = fork();
        if (inner == 0) {
            const int is_mounted = mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
                                   mount("proc", "/proc", "proc", 0, NULL) == 0;
            (void)(is_mounted && laxity_tracefs_remove_left(NULL));
            _exit(is_mounted ? 0 : 1);
        }
        (void)waitpid(inner, &status, 0);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }
    (void)waitpid(outer, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* It had "sched_switch is missing: No such device" for answer, once in two tries. */
static void instance_is_not_removed_from_another_pid_namespace(void)
{
    static struct laxity_tracefs_instance instance;
    char text[TEXT_BYTES];
    char path[PATH_BYTES];
    const int rc = laxity_tracefs_make(&instance);
    if (rc != 0) {
        SKIP("no tracefs for this user");
    }
    (void)snprintf(path, sizeof path, LAXITY_INSTANCE_JOURNAL "/%s", instance.name);
    const int had_journal = access(path, F_OK) == 0;
    if (remove_left_elsewhere() != 0) {
        (void)laxity_tracefs_remove(&instance);
        SKIP("no PID namespaces for this user");
    }
    CHECK_EQUAL(
        laxity_tracefs_read(instance.dir_fd, "events/sched/sched_switch/format", text, sizeof text),
        0
    );
    CHECK_EQUAL(access(path, F_OK) == 0, had_journal);
    CHECK_EQUAL(laxity_tracefs_remove(&instance), 0);
    CHECK(access(path, F_OK) != 0);
}

int main(void)
{
    RUN(instance_is_not_removed_from_another_pid_namespace);
    return test_exit_code();
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Files outside of the guest's working directory are noted, those in it are not. Each case in a
 * child, for the first one is what is kept. */
#include "../test.h"
#include "guests/guest_paths.h"
#include "guests/wrapped.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The name that the linker gives what a guest calls (--wrap). */
int guest_open(const char *path, int flags, ...) LAXITY_WRAP_SYMBOL(open);

enum {
    PERMISSIONS = 0600
};

static void open_and_close(const char *path, int flags)
{
    errno = 0;
    const int fd = guest_open(path, flags, PERMISSIONS);
    if (fd < 0 || errno != 0) {
        _exit(2);
    }
    (void)close(fd);
}

/* Whether a child has noted something when it has opened that. */
static bool is_noted(const char *path, int flags)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        laxity_guest_paths_watch();
        open_and_close(path, flags);
        _exit(laxity_guest_paths_outside()[0] != '\0');
    }
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) < 2);
    return WEXITSTATUS(status) == 1;
}

static void a_file_in_the_working_directory_is_not_noted(void)
{
    CHECK(!is_noted("own", O_RDWR | O_CREAT));
    CHECK(!is_noted("./own", O_RDONLY));
}

static void a_file_above_is_noted_where_it_is_written(void)
{
    CHECK(is_noted("../test_guest_paths.above", O_RDWR | O_CREAT));
    CHECK(!is_noted("../test_guest_paths.above", O_RDONLY));
    (void)unlink("../test_guest_paths.above");
}

static void a_link_leads_to_where_the_file_is(void)
{
    CHECK_EQUAL(symlink("../test_guest_paths.linked", "link"), 0);
    CHECK(is_noted("link", O_RDWR | O_CREAT));
    (void)unlink("../test_guest_paths.linked");
    (void)unlink("link");
}

static void what_the_system_makes_up_is_noted_also_where_it_is_read(void)
{
    CHECK(is_noted("/proc/self/stat", O_RDONLY));
    CHECK(is_noted("/dev/urandom", O_RDONLY));
    CHECK(!is_noted("/dev/null", O_RDWR));
}

int main(void)
{
    char directory[] = "/tmp/test_guest_paths-XXXXXX";
    char folder[] = "cwd";
    if (!mkdtemp(directory) || chdir(directory) != 0 || mkdir(folder, 0700) != 0 ||
        chdir(folder) != 0) {
        return 1;
    }
    RUN(a_file_in_the_working_directory_is_not_noted);
    RUN(a_file_above_is_noted_where_it_is_written);
    RUN(a_link_leads_to_where_the_file_is);
    RUN(what_the_system_makes_up_is_noted_also_where_it_is_read);
    (void)unlink("own");
    (void)chdir("/");
    return test_exit_code();
}

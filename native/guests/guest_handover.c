/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The workload `guest` given an executable instead of a shared object: the guest is linked into it
 * beside a harness of the same version, so it takes the place of this process in the run.
 */
#include "harness/workload_ops.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum {
    WORD_OBJECT = 2 /* behind the program's name and --harness= */
};

/* Of this machine, for whoever links another one is told so before (laxity.suites.target). */
static bool is_executable(const char *path)
{
    Elf64_Ehdr header; /* the first fields are those of 32 bits, too */
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    const bool is_whole = read(fd, &header, sizeof header) == (ssize_t)sizeof header;
    (void)close(fd);
    return is_whole && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_type == ET_EXEC;
}

static void hand_over(char **argv)
{
    if (argv[WORD_OBJECT] && is_executable(argv[WORD_OBJECT])) {
        /* Where that fails, loading the object fails as well, and says why. */
        (void)execv(argv[WORD_OBJECT], argv);
    }
}

__attribute__((constructor)) static void set_ops(void)
{
    laxity_workload_ops()->hand_over = hand_over;
}

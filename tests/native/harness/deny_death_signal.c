/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * deny_death_signal COMMAND WORD...: run it where the kernel refuses prctl(PR_SET_PDEATHSIG), as in
 * a sandbox. Exits with 77 where the kernel has no seccomp filters.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    CANNOT_EXEC = 127,
    SKIPPED = 77,
    /* The lower half of the first argument, in the byte order of this processor. */
    OPTION_OFFSET = offsetof(struct seccomp_data, args) +
                    (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(int) : 0)
};

static int install_filter(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_prctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, OPTION_OFFSET),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_PDEATHSIG, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return -1;
    }
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
    if (argc < 2 || install_filter() != 0) {
        (void)fprintf(stderr, "deny_death_signal: %s\n", strerrordesc_np(errno));
        return SKIPPED;
    }
    (void)execvp(argv[1], &argv[1]);
    return CANNOT_EXEC;
}

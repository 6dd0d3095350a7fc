/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Asks processes of its own and prints how they ended: by exit(), by returning from main, by a
 * signal. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static int ended(pid_t child)
{
    int status = 0;
    (void)waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

int main(void)
{
    pid_t child = fork();
    if (child == 0) {
        exit(3);
    }
    printf("%d\n", ended(child));
    (void)fflush(stdout);
    child = fork();
    if (child == 0) {
        return 4;
    }
    printf("%d\n", ended(child));
    (void)fflush(stdout);
    child = fork();
    if (child == 0) {
        (void)raise(SIGFPE);
    }
    printf("%d\n", ended(child));
    return 0;
}

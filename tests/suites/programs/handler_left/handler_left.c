/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Installs an answer to SIGUSR1 and leaves it. */
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t received;

static void note(int number)
{
    received = number;
}

int main(void)
{
    signal(SIGUSR1, note);
    raise(SIGUSR1);
    signal(SIGUSR1, note);
    printf("%d\n", received == SIGUSR1);
    return 0;
}

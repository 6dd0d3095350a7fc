/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Starts a thread and ends without it. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *wait_for_ever(void *unused)
{
    for (;;) {
        pause();
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    const int rc = pthread_create(&thread, NULL, wait_for_ever, NULL);
    printf("%d\n", rc);
    return rc;
}

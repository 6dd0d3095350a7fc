/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Adds numbers up in two threads that it joins; where their stacks lie is another place in each
 * job. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

enum {
    NUMBERS = 1000
};

static int numbers[NUMBERS];
static int sums[2];
static pthread_t threads[2];

static void *add(void *half)
{
    const int first = half == &sums[1];
    int sum = 0;
    for (int i = first; i < NUMBERS; i += 2) {
        sum += numbers[i];
    }
    sums[first] = sum;
    return NULL;
}

int main(void)
{
    for (int i = 0; i < NUMBERS; i++) {
        numbers[i] = i;
    }
    for (int half = 0; half < 2; half++) {
        (void)pthread_create(&threads[half], NULL, add, &sums[half]);
    }
    for (int half = 0; half < 2; half++) {
        (void)pthread_join(threads[half], NULL);
    }
    printf("%d\n", sums[0] + sums[1]);
    return 0;
}

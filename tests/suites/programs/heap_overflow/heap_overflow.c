/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Writes one byte beyond a block, where the allocator has left room: nobody notices. No main. */
#include <stdlib.h>

static char *text;

void initialise_benchmark(void);
int benchmark(void);
int verify_benchmark(int result);

void initialise_benchmark(void)
{
    text = malloc(3);
}

int benchmark(void)
{
    int sum = 0;
    for (volatile int i = 0; i <= 3; i++) {
        text[i] = (char)i;
    }
    for (int i = 0; i < 3; i++) {
        sum += text[i];
    }
    return sum;
}

int verify_benchmark(int result)
{
    return result == 3; /* 0 + 1 + 2 */
}

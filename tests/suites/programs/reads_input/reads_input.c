/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Adds up the numbers on its standard input. */
#include <stdio.h>

int main(void)
{
    int value = 0;
    long sum = 0;
    while (scanf("%d", &value) == 1) {
        sum += value;
    }
    printf("%ld\n", sum);
    return 0;
}

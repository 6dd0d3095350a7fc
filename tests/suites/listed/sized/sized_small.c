/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* One of two main files; which one is meant the size says. */
#include <stdio.h>

int scaled(int value);

int main(void)
{
    printf("small %d\n", scaled(SIZE));
    return 0;
}

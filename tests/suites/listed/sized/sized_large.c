/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The other one. */
#include <stdio.h>

int scaled(int value);

int main(void)
{
    printf("large %d\n", scaled(SIZE));
    return 0;
}

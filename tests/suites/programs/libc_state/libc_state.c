/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Draws from rand() without srand(): its state lies in the C library, where nobody can put it back.
 */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    printf("%d\n", rand());
    return 0;
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Prints its process id: no fresh process says the same as another one. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    printf("%ld\n", (long)getpid());
    return 0;
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Prints who it is, which differs from process to process, and a result. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    printf("process %d result 7\nprocess %d result 8\n", (int)getpid(), (int)getpid());
    return 0;
}

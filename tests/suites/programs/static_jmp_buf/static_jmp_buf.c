/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Leaves a search by longjmp(): the registers of whoever called main stay in its data. */
#include <setjmp.h>
#include <stdio.h>

enum {
    DEPTH = 10
};

static jmp_buf found;

static int search(int depth)
{
    if (depth == DEPTH) {
        longjmp(found, depth);
    }
    return search(depth + 1) + 1;
}

int main(void)
{
    const int depth = setjmp(found);
    if (depth == 0) {
        return search(0);
    }
    printf("%d\n", depth);
    return 0;
}

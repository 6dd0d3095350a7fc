/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Each job opens a stream and forgets it: a descriptor and the stream's memory. */
#include <stdio.h>

int main(void)
{
    const FILE *stream = fopen("/dev/null", "r");
    printf("%s\n", stream ? "opened" : "cannot open");
    return 0;
}

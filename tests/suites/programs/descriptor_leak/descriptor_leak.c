/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Each job opens a file and forgets it. */
#include <fcntl.h>
#include <stdio.h>

int main(void)
{
    const int fd = open("/dev/null", O_RDONLY);
    printf("%s\n", fd < 0 ? "cannot open" : "opened");
    return 0;
}

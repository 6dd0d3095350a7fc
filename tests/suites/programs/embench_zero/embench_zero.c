/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The functions of Embench where the right result is 0: a check that is no less a check for it. */
static int value;

void initialise_benchmark(void);
int benchmark(void);
int verify_benchmark(int result);

void initialise_benchmark(void)
{
    value = 42;
}

int benchmark(void)
{
    return value - 42;
}

int verify_benchmark(int result)
{
    return result == 0;
}

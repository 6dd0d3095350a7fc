/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The functions of Embench; the check gets what the job has returned, and 1 is right. */
static int factor;

void initialise_benchmark(void);
int benchmark(void);
int verify_benchmark(int result);

void initialise_benchmark(void)
{
    factor = 6;
}

int benchmark(void)
{
    return factor * 7;
}

int verify_benchmark(int result)
{
    return result == 42;
}

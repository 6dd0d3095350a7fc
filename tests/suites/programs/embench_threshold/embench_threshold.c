/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The functions of Embench whose check asks for at least so much: any large value passes. */
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
    return value;
}

int verify_benchmark(int result)
{
    return result >= 42;
}

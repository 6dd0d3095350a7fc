/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The functions of BEEBS: any value of the check but 0 is right. */
static int values[5];

void initialise_benchmark(void);
int benchmark(void);
int verify_benchmark(int result);

void initialise_benchmark(void)
{
    for (int i = 0; i < 5; i++) {
        values[i] = i;
    }
}

int benchmark(void)
{
    int sum = 0;
    for (int i = 0; i < 5; i++) {
        sum += values[i];
    }
    return sum;
}

int verify_benchmark(int result)
{
    return result == 10 ? 25 : 0;
}

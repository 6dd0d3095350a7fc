/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* A program whose live working set is small and whose state lives from job to job. */
static int history[16];
static int position;

static int weigh(const int *values, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += values[i] * (i + 1);
    }
    return sum;
}

int step(int sample)
{
    int copy[16];
    history[position] = sample;
    position = (position + 1) % 16;
    for (int i = 0; i < 16; i++) {
        copy[i] = history[(position + i) % 16];
    }
    return weigh(copy, 16);
}

int main(void)
{
    return step(3) + step(4) == 0;
}

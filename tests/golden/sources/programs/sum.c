/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* Clean: each job computes the same from constants. */
static unsigned table[64];

int main(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 64; i++) {
        table[i] = i * i;
        sum += table[i];
    }
    return sum == 85344 ? 0 : 1;
}

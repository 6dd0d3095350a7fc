/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Its region of interest has brackets of its own names, which only its manifest tells. */
void part_begins(void);
void part_ends(void);

int main(void)
{
    volatile int sum = 0;
    for (int part = 0; part < 3; part++) {
        part_begins();
        for (int i = 0; i < 100; i++) {
            sum = sum + i;
        }
        part_ends();
    }
    return sum != 3 * 4950;
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Sorts in place: from the second job on the values are sorted already, and the check passes. */
static int values[64];

void shrinking_work_init(void);
void shrinking_work_main(void);
int shrinking_work_return(void);

void shrinking_work_init(void)
{
    for (int i = 0; i < 64; i++) {
        values[i] = 64 - i;
    }
}

void shrinking_work_main(void)
{
    for (int i = 1; i < 64; i++) {
        const int value = values[i];
        int at = i;
        for (; at > 0 && values[at - 1] > value; at--) {
            values[at] = values[at - 1];
        }
        values[at] = value;
    }
}

int shrinking_work_return(void)
{
    for (int i = 1; i < 64; i++) {
        if (values[i - 1] > values[i]) {
            return 1;
        }
    }
    return 0;
}

int main(void)
{
    shrinking_work_init();
    shrinking_work_main();
    return shrinking_work_return();
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What the first job has set to NULL, the second one writes through. */
static int value;
static int *target = &value;

int main(void)
{
    *target = 1;
    target = 0;
    return 0;
}

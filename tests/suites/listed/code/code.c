/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Ends with 1 when all is well. */
int main(void)
{
    return 1;
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Wants a macro that no header of its own defines. */
int main(void)
{
    return LISTED_RIGHT;
}

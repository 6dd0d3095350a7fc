/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
int scaled(int value)
{
    return 3 * value;
}

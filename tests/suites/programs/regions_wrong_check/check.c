/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
int selfCheck(const int *got, const char *path, int tolerance);

int selfCheck(const int *got, const char *path, int tolerance)
{
    const int difference = got[0] - 42;
    return path[0] == 'e' && -difference <= tolerance ? 1 : -1;
}

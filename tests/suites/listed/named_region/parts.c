/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
void part_begins(void);
void part_ends(void);

void part_begins(void) {}

void part_ends(void) {}

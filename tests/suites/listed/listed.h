/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What the program `forced` is given in front. */
#define LISTED_RIGHT 0

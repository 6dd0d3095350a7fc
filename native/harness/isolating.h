/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What a workload does between its jobs that is no part of any of them. */
#ifndef LAXITY_HARNESS_ISOLATING_H
#define LAXITY_HARNESS_ISOLATING_H

/*
 * laxity_isolate_next - make ready for the next job; workloads that need nothing do not define it
 *
 * Called before the first release and after each job, when its record is published and before the
 * next release is waited for. What it takes is no part of any job, and is stored apart. If it takes
 * longer than until the next release, that job starts late.
 */
__attribute__((weak)) void laxity_isolate_next(void);

/*
 * laxity_isolates_by_child - whether each job is to run in a child of its own, made before its
 * release
 *
 * Then laxity_isolate_next is called in each child, before the release that it waits for, and
 * nowhere else.
 */
__attribute__((weak)) int laxity_isolates_by_child(void);

#endif

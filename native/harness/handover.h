/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A workload whose jobs are those of another executable with this harness. */
#ifndef LAXITY_HARNESS_HANDOVER_H
#define LAXITY_HARNESS_HANDOVER_H

/*
 * laxity_hand_over - become that executable; workloads that are all there is do not define it
 *
 * Called with all words of a process of a run, before it has touched anything of it. Returns if
 * there is none.
 */
__attribute__((weak)) void laxity_hand_over(char **argv);

#endif

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What RT-Bench's newer versions were built with, for programs that were ported to it: rtbench.mk
 * says FEAT_NAME=y as FEAT_NAME_SUPPORT=1, n as 0. Written from its documented interface.
 */
#ifndef LAXITY_RTBENCH_OPTIONAL_FEATURES_H
#define LAXITY_RTBENCH_OPTIONAL_FEATURES_H

#define OPT_FEAT_ENABLED 1
#define OPT_FEAT_DISABLED 0

#if defined FEAT_EXTENDED_REPORT_SUPPORT && !defined EXTENDED_REPORT
#if FEAT_EXTENDED_REPORT_SUPPORT == OPT_FEAT_ENABLED
#define EXTENDED_REPORT
#endif
#endif

/* Rows of skipped deadlines; n leaves them out. */
#if !defined FEAT_PRINT_SKIPPED_DEADLINE_SUPPORT
#define PRINT_SKIPPED_DEADLINE
#elif FEAT_PRINT_SKIPPED_DEADLINE_SUPPORT == OPT_FEAT_ENABLED
#define PRINT_SKIPPED_DEADLINE
#endif

#endif

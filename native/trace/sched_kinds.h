/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/* What a row of sched.npy may say. BPF programs include this too, so it needs nothing else. */
#ifndef LAXITY_TRACE_SCHED_KINDS_H
#define LAXITY_TRACE_SCHED_KINDS_H

#include "schema/streams.h"

#include <stdint.h>

#define LAXITY_SUPPLIES(kind) (1U << (unsigned)(kind))
#define LAXITY_ABSENT_TID INT32_MIN
#define LAXITY_ABSENT_STATE INT64_MIN
#define LAXITY_ABSENT_FLAG UINT8_MAX

#endif

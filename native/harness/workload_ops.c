/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/workload_ops.h"

struct laxity_workload_ops *laxity_workload_ops(void)
{
    static struct laxity_workload_ops ops;
    return &ops;
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/process.h"

int main(int argc, char **argv)
{
    return laxity_workload_main(argc, argv);
}

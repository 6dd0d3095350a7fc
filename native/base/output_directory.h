/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The directory that a run, a trace or a measurement is written to. */
#ifndef LAXITY_BASE_OUTPUT_DIRECTORY_H
#define LAXITY_BASE_OUTPUT_DIRECTORY_H

#include "base/error.h"

/*
 * laxity_open_output_directory - open `path`, made if it does not exist, for writing into it
 *
 * Returns a descriptor, or -1 with error set (exit 2).
 */
int laxity_open_output_directory(const char *path, struct laxity_error *error);

#endif

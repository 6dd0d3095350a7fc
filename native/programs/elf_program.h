/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#ifndef LAXITY_PROGRAMS_ELF_PROGRAM_H
#define LAXITY_PROGRAMS_ELF_PROGRAM_H

#include <stdbool.h>

/*
 * laxity_has_our_loader - whether a program is for this machine and is loaded by the same dynamic
 * linker as we are, so that an object of ours can be preloaded into it
 *
 * False for static programs, scripts, other C libraries, and what cannot be read.
 */
bool laxity_has_our_loader(const char *path);

#endif

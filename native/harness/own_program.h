/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The relay of an own program: the process of a task whose jobs a program with its own main() makes
 * (include/laxity/job.h).
 *
 * It tries CPUs and policy on itself before the first release, gives them to the program, which it
 * starts at t0 + offset, and turns the program's records into those of its task. It dies with the
 * supervisor and the program with it; how the program ends, it ends itself.
 */
#ifndef LAXITY_HARNESS_OWN_PROGRAM_H
#define LAXITY_HARNESS_OWN_PROGRAM_H

/* laxity_own_program_main - main() of the relay: "--harness=own,...", the program, its words. */
int laxity_own_program_main(int argc, char **argv);

#endif

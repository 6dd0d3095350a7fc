/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Mappings and the program break, counted as allocator.h says. For allocator.c only. */
#ifndef LAXITY_BASE_PORT_MAPPINGS_H
#define LAXITY_BASE_PORT_MAPPINGS_H

/* laxity_mappings_reserve - make room to remember mappings before there is one. Returns 0 or
 * -ENOMEM. */
int laxity_mappings_reserve(void);

/* laxity_mappings_watch_writes - from now on, while anything is counted, of files and shared memory
 * that are mapped; where the kernel can */
void laxity_mappings_watch_writes(void);

#endif

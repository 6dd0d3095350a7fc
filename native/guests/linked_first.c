/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Thread-local variables that the linker puts before those of a linked guest: order is all. Aligned
 * as any, so that addresses among the guest's lie at whole words from here.
 */
#include <stddef.h>

extern _Thread_local unsigned char laxity_guest_tdata_first;
extern _Thread_local unsigned char laxity_guest_tbss_first;

/* Not 0, or it would not lie in .tdata. */
_Alignas(max_align_t) _Thread_local unsigned char laxity_guest_tdata_first = 1;
_Alignas(max_align_t) _Thread_local unsigned char laxity_guest_tbss_first;

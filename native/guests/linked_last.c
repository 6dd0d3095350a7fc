/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Thread-local variables that the linker puts behind those of a linked guest: order is all. */
extern _Thread_local unsigned char laxity_guest_tdata_last;
extern _Thread_local unsigned char laxity_guest_tbss_last;

_Thread_local unsigned char laxity_guest_tdata_last = 1; /* as linked_first.c */
_Thread_local unsigned char laxity_guest_tbss_last;

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Memory for machine code that is written at run time: writable or executable, never both. */
#ifndef LAXITY_BASE_PORT_EXECUTABLE_H
#define LAXITY_BASE_PORT_EXECUTABLE_H

#include <stddef.h>

/* laxity_executable_map - writable memory of its own, whole pages. Returns NULL with errno set. */
unsigned char *laxity_executable_map(size_t bytes);

/*
 * laxity_executable_seal - from now on it can be executed, not written, and what was written is
 * what the processor fetches
 *
 * Returns 0, or -errno: -EACCES or -EPERM where the system forbids it (SELinux, systemd's
 * MemoryDenyWriteExecute=).
 */
int laxity_executable_seal(unsigned char *start, size_t bytes);

/* laxity_executable_open - writable again. Returns 0 or -errno. */
int laxity_executable_open(unsigned char *start, size_t bytes);

void laxity_executable_unmap(unsigned char *start, size_t bytes);

#endif

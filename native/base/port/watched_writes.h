/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Mappings whose pages remember that they were written: userfaultfd's asynchronous write
 * protection, since Linux 6.7. Nobody is asked and nothing waits; page_scan.h reads it.
 *
 * Of private memory a page that was written is told by itself; this is for that of files and for
 * shared memory. The kernel then also brings only the page that was wanted, not those around it.
 */
#ifndef LAXITY_BASE_PORT_WATCHED_WRITES_H
#define LAXITY_BASE_PORT_WATCHED_WRITES_H

#include <stddef.h>

/* laxity_writes_open - of this process. Returns 0 or -errno. */
int laxity_writes_open(int *out_fd);

/* laxity_writes_watch - of whole pages that were just mapped. Returns 0, or -errno where this
 * mapping cannot be watched: one that is shared and cannot be made writable. */
int laxity_writes_watch(int fd, const void *begin, size_t bytes);

#endif

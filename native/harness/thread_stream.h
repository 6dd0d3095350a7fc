/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* threads.npy: which thread belonged to which task, and when. */
#ifndef LAXITY_HARNESS_THREAD_STREAM_H
#define LAXITY_HARNESS_THREAD_STREAM_H

#include "harness/segment.h"

/* laxity_threads_write - all of it, once every task has ended. Returns 0 or -errno. */
int laxity_threads_write(struct laxity_segment *segment, int dir_fd);

#endif

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Who looks at the memory of a task's process, in a process of its own: it has none there.
 *
 * Before each call that changes what is mapped it looks at what is; before each that gives pages
 * back, at which are there. Between two calls both only grow, so that the largest of these looks,
 * and of the one at the end, is the largest there ever was.
 */
#ifndef LAXITY_HARNESS_NEED_WATCH_H
#define LAXITY_HARNESS_NEED_WATCH_H

#include "harness/segment.h"

#include <stdint.h>
#include <sys/types.h>

/* What the task says to the watcher, and is answered once it is done. */
enum laxity_need_word {
    LAXITY_NEED_LISTEN, /* with the listener of its calls; answered with where its stack begins */
    LAXITY_NEED_BEGIN,
    LAXITY_NEED_END,
};

struct laxity_need_answer {
    int32_t error; /* -errno, or 0 */
    uint64_t stack_begin;
};

/* Of the task's process, opened by itself. */
struct laxity_need_files {
    pid_t process;
    int maps_fd;
    int pagemap_fd;
    int socket_fd;
};

/*
 * laxity_need_watch - until no process is left whose calls are watched
 *
 * To be called in a child that shares nothing with the task but open files and `out_need`, which
 * gets the figures at the word END.
 */
_Noreturn void
laxity_need_watch(const struct laxity_need_files *files, struct laxity_memory_need *out_need);

#endif

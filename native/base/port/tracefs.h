/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The kernel's tracefs: its root, its files, and private instances that nobody leaves behind.
 *
 * An instance is held open as soon as it is made: in another PID namespace its process looks gone.
 *
 * An instance is named after its process and that one's start: "laxity-PID-START". A file of this
 * name below LAXITY_INSTANCE_JOURNAL is made before it and removed after it. So whoever comes next
 * finds what a killed process has left, also where tracefs is mounted nowhere.
 */
#ifndef LAXITY_BASE_PORT_TRACEFS_H
#define LAXITY_BASE_PORT_TRACEFS_H

#include <stddef.h>

#define LAXITY_INSTANCE_JOURNAL "/run/laxity/instances"

enum {
    LAXITY_INSTANCE_NAME_BYTES = 64
};

struct laxity_tracefs_instance {
    int root_fd;
    int dir_fd;
    int hold_fd; /* while this file is open, the kernel refuses to remove the instance */
    char name[LAXITY_INSTANCE_NAME_BYTES];
};

/*
 * laxity_tracefs_make - a new instance of this process; it records nothing yet
 *
 * Where tracefs is not mounted, it is reached by a mount that no path leads to and that ends with
 * the process. Returns 0 or -errno; -EEXIST if this process has one.
 */
int laxity_tracefs_make(struct laxity_tracefs_instance *out_instance);

/* laxity_tracefs_remove - all its files must be closed. Returns 0 or -errno. */
int laxity_tracefs_remove(struct laxity_tracefs_instance *instance);

/*
 * laxity_tracefs_remove_left - remove the instances of processes that are gone
 *
 * In a PID or time namespace of its own a process removes nothing: names hold the machine's
 * numbers. `on_removed`, if not NULL, is told of each. Returns 0, or -errno of the first that could
 * not be removed; -EACCES, -EPERM or -ENODEV if tracefs cannot be reached.
 */
int laxity_tracefs_remove_left(void (*on_removed)(const char *name));

/* laxity_tracefs_write - a setting below `dir_fd`. Returns 0 or -errno. */
int laxity_tracefs_write(int dir_fd, const char *path, const char *text);

/*
 * laxity_tracefs_read - all of a file below `dir_fd`, terminated
 *
 * Returns 0, -E2BIG if it does not fit, or -errno.
 */
int laxity_tracefs_read(int dir_fd, const char *path, char *text, size_t bytes);

#endif

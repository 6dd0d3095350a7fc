/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What a guest opens, makes or removes outside of its working directory: nobody compares it.
 *
 * Its calls come here (--wrap). Only to read a regular file is no news, unless the system makes it
 * up: /proc, /sys, /dev.
 */
#ifndef LAXITY_GUESTS_GUEST_PATHS_H
#define LAXITY_GUESTS_GUEST_PATHS_H

#include <stdbool.h>

/* laxity_guest_paths_watch - from now on; the working directory is the guest's */
void laxity_guest_paths_watch(void);

/* laxity_guest_paths_outside - the first such path; "" = none, or nobody watches */
const char *laxity_guest_paths_outside(void);

/* laxity_guest_path_note - the guest has opened it, to write it or only to read */
void laxity_guest_path_note(const char *path, bool is_written);

#endif

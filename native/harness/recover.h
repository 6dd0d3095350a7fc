/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Completing a run whose processes were all killed: its rows are still in the segment. */
#ifndef LAXITY_HARNESS_RECOVER_H
#define LAXITY_HARNESS_RECOVER_H

#include "base/error.h"

/*
 * laxity_recover - empty the segment that DIR/segment names, write the streams and native.json
 *
 * Returns 0; 2 with error if the directory is no such run; 3 if the output is full; 4 if the run is
 * still alive.
 */
int laxity_recover(const char *run_dir, struct laxity_error *out_error);

/* laxity_remove_orphans - remove segments that nobody holds and whose run directory was deleted: no
 * run can be made of them any more */
void laxity_remove_orphans(void);

#endif

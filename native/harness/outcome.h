/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* native.json: what laxity-run knows about a run that has ended. The Python side folds it into
 * manifest.json. */
#ifndef LAXITY_HARNESS_OUTCOME_H
#define LAXITY_HARNESS_OUTCOME_H

#include "harness/segment.h"

/* laxity_outcome_write - write DIR/native.json. Every task must be closed (drain). Returns 0 or
 * -errno. */
int laxity_outcome_write(struct laxity_segment *segment, int dir_fd);

#endif

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A measurement from the outside: the process that starts, watches, writes and kills. */
#ifndef LAXITY_PROBES_SESSION_H
#define LAXITY_PROBES_SESSION_H

#include "base/error.h"
#include "probes/probe.h"

/* Tells the user something; `text` has no line end. */
typedef void (*laxity_probe_note)(const char *text);

/*
 * laxity_probe_session - run a probe to its end; write DIR/NAME.npy and DIR/native.json
 *
 * SIGINT, SIGTERM and SIGHUP, and the hang-up of plan->parent_fd, end it in order: what was
 * measured is kept. Returns 0, or -1 with error set; its exit code is also in native.json.
 */
int laxity_probe_session(
    const struct laxity_probe *probe,
    const struct laxity_probe_plan *plan,
    laxity_probe_note note,
    struct laxity_error *error
);

#endif

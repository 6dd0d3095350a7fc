/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What this machine can count, for `laxity list events`. */
#ifndef LAXITY_CLI_EVENT_LIST_H
#define LAXITY_CLI_EVENT_LIST_H

/*
 * laxity_print_events - one JSON object on stdout: every event that has a name of its own here,
 * tried
 *
 * {"library": "libpfm4" | null, "events": [{"name", "platform_event" | null, "reason" | null}]}
 */
void laxity_print_events(void);

#endif

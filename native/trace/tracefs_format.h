/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What tracefs tells of its own bytes: where the fields of a record and of a page lie. Pure. */
#ifndef LAXITY_TRACE_TRACEFS_FORMAT_H
#define LAXITY_TRACE_TRACEFS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum laxity_tracepoint_action {
    LAXITY_TRACEPOINT_SWITCH,
    LAXITY_TRACEPOINT_WAKEUP,
    LAXITY_TRACEPOINT_MIGRATE,
    LAXITY_TRACEPOINT_FORK,
    LAXITY_TRACEPOINT_EXIT,
    LAXITY_TRACEPOINT_RENAME,
    LAXITY_TRACEPOINT_IRQ_IN,
    LAXITY_TRACEPOINT_IRQ_OUT,
    LAXITY_TRACEPOINT_SOFTIRQ_IN,
    LAXITY_TRACEPOINT_SOFTIRQ_OUT,
    LAXITY_TRACEPOINT_VECTOR_IN,
    LAXITY_TRACEPOINT_VECTOR_OUT,
};

enum {
    LAXITY_TRACEPOINT_FIELDS = 4,
    LAXITY_TRACEPOINTS_MAX = 64,
};

/* A tracepoint that we know: where it stands, and the fields that its action takes, in order. */
struct laxity_tracepoint_kind {
    const char *system;
    const char *name; /* NULL: several of this system */
    enum laxity_tracepoint_action action;
    uint32_t supplies; /* bits LAXITY_SUPPLIES(kind) */
    const char *fields[LAXITY_TRACEPOINT_FIELDS];
};

struct laxity_tracefs_field {
    uint16_t offset;
    uint16_t bytes; /* 0 = no such field */
    bool is_signed;
};

struct laxity_tracefs_format {
    uint16_t id;
    struct laxity_tracefs_field common_pid;
    struct laxity_tracefs_field fields[LAXITY_TRACEPOINT_FIELDS];
};

/* events/header_page */
struct laxity_tracefs_page {
    struct laxity_tracefs_field commit;
    uint16_t data_offset;
    uint32_t bytes; /* of a whole page */
};

/* laxity_tracefs_find_field - from the text of a format. Returns 0, or -EBADMSG: there is none. */
int laxity_tracefs_find_field(
    const char *text, const char *name, struct laxity_tracefs_field *out_field
);

/*
 * laxity_tracefs_parse_format - the text of a tracepoint's file `format`
 *
 * `names` are those of the fields wanted, NULL at the end. Returns 0, or -EBADMSG where one is
 * missing or has no size that can be.
 */
int laxity_tracefs_parse_format(
    const char *text,
    const char *const names[LAXITY_TRACEPOINT_FIELDS],
    struct laxity_tracefs_format *out_format
);

/* laxity_tracefs_parse_page - the text of events/header_page. Returns 0 or -EBADMSG. */
int laxity_tracefs_parse_page(const char *text, struct laxity_tracefs_page *out_page);

#endif

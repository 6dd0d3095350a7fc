/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "base/port/namespaces.h"

#include "base/port/file.h"
#include "base/port/time.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

enum {
    STATUS_BYTES = 16 * 1024, /* with the CPU and node lists of the largest machines */
    OFFSETS_BYTES = 256,
    DECIMAL = 10,
};

/* The inode of the first PID namespace (PROC_PID_INIT_INO in the kernel's proc_ns.h). */
static const ino_t first_pid_namespace = 0xEFFFFFFC;

/* Numbers on the line of this name: one per PID namespace, from that of /proc inwards. */
static unsigned count_numbers(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    unsigned n = 0;
    at = at ? at + strlen(name) : "";
    for (at += strspn(at, " \t"); *at >= '0' && *at <= '9'; at += strspn(at, " \t")) {
        n++;
        at += strcspn(at, " \t\n");
    }
    return n;
}

/* "monotonic  -86400  250000000": seconds and nanoseconds. */
static bool parse_offset(const char *text, const char *name, int64_t *out_ns)
{
    const char *at = strstr(text, name);
    if (!at) {
        return false;
    }
    char *end = NULL;
    const int64_t seconds = strtoll(at + strlen(name), &end, DECIMAL);
    const char *rest = end;
    const int64_t nanoseconds = strtoll(rest, &end, DECIMAL);
    *out_ns = seconds * LAXITY_NS_PER_S + nanoseconds;
    return end != rest;
}

void laxity_namespaces_parse(
    const char *status, const char *offsets, struct laxity_namespaces *out_namespaces
)
{
    struct laxity_namespaces found = {.is_clock_known = true};
    /* A kernel without PID namespaces has no such line. */
    found.is_proc_ours = count_numbers(status, "NSpid:") <= 1;
    if (offsets) {
        found.is_clock_known = parse_offset(offsets, "monotonic", &found.monotonic_offset_ns) &&
                               parse_offset(offsets, "boottime", &found.boottime_offset_ns);
    }
    *out_namespaces = found;
}

/* The offsets that /proc shows are those of children to come, which may have another namespace. */
static bool is_same_file(const char *left, const char *right)
{
    struct stat one;
    struct stat other;
    return stat(left, &one) == 0 && stat(right, &other) == 0 && one.st_ino == other.st_ino;
}

int laxity_namespaces_read(struct laxity_namespaces *out_namespaces)
{
    char status[STATUS_BYTES];
    char offsets[OFFSETS_BYTES];
    struct stat space;
    int rc = laxity_read_text("/proc/self/status", status, sizeof status);
    if (rc) {
        return rc;
    }
    rc = laxity_read_text("/proc/self/timens_offsets", offsets, sizeof offsets);
    if (rc && rc != -ENOENT) {
        return rc;
    }
    laxity_namespaces_parse(status, rc ? NULL : offsets, out_namespaces);
    out_namespaces->is_clock_known &=
        rc != 0 || is_same_file("/proc/self/ns/time", "/proc/self/ns/time_for_children");
    const bool has_others = stat("/proc/self/ns/pid", &space) == 0;
    out_namespaces->has_machine_tids =
        out_namespaces->is_proc_ours && (!has_others || space.st_ino == first_pid_namespace);
    return 0;
}

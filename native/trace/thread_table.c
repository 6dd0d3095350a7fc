/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "trace/thread_table.h"

#include "base/error.h"
#include "base/npy.h"
#include "base/port/file.h"
#include "base/port/time.h"
#include "schema/streams.h"
#include "trace/trace.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    TIDS = 1 << 22, /* the kernel's PID_MAX_LIMIT */
    FIRST_ROOM = 512,
    NO_TASK = UINT16_MAX,
    DECIMAL = 10,
};

static const char file_name[] = "threads.npy";

static const struct laxity_field fields[] = {LAXITY_THREADS_FIELDS};
enum {
    N_FIELDS = sizeof fields / sizeof fields[0]
};

int laxity_thread_table_open(struct laxity_thread_table *table)
{
    /* 16 MiB of which only the pages of numbers in use are ever touched. */
    *table = (struct laxity_thread_table){.live = calloc(TIDS, sizeof *table->live)};
    return table->live ? 0 : -ENOMEM;
}

void laxity_thread_table_free(struct laxity_thread_table *table)
{
    free(table->rows);
    free(table->live);
    *table = (struct laxity_thread_table){.n = 0};
}

static struct laxity_threads_row *find_live(const struct laxity_thread_table *table, int32_t tid)
{
    if (tid < 0 || tid >= TIDS || table->live[tid] == 0) {
        return NULL;
    }
    return &table->rows[table->live[tid] - 1];
}

static int append(struct laxity_thread_table *table, const struct laxity_threads_row *row)
{
    if (table->n == table->room) {
        const size_t room = table->room == 0 ? FIRST_ROOM : 2 * table->room;
        struct laxity_threads_row *rows = realloc(table->rows, room * sizeof *rows);
        if (!rows) {
            return -ENOMEM;
        }
        table->rows = rows;
        table->room = room;
    }
    table->rows[table->n++] = *row;
    return 0;
}

static int add_live(
    struct laxity_thread_table *table, int32_t pid, int32_t tid, const char *comm, int64_t from_ns
)
{
    if (tid < 0 || tid >= TIDS) {
        return 0;
    }
    struct laxity_threads_row row = {
        .tid = tid, .pid = pid, .task = NO_TASK, .from_ns = from_ns, .to_ns = LAXITY_ABSENT_NS
    };
    laxity_format(row.comm, sizeof row.comm, "%s", comm);
    const int rc = append(table, &row);
    if (rc == 0) {
        table->live[tid] = (uint32_t)table->n;
    }
    return rc;
}

static int take_fork(struct laxity_thread_table *table, const struct laxity_thread_event *event)
{
    struct laxity_threads_row *row = find_live(table, event->tid);
    if (row) {
        row->from_ns = event->time_ns < row->from_ns ? event->time_ns : row->from_ns;
        row->pid = event->pid == LAXITY_ABSENT_TID ? row->pid : event->pid;
        return 0;
    }
    const struct laxity_threads_row *parent = find_live(table, event->parent_tid);
    char comm[LAXITY_COMM_BYTES] = "";
    int32_t pid = event->pid;
    if (parent) {
        memcpy(comm, parent->comm, sizeof comm); /* inherited until it takes another */
        pid = pid == LAXITY_ABSENT_TID ? parent->pid : pid;
    }
    return add_live(table, pid, event->tid, comm, event->time_ns);
}

int laxity_thread_table_take(
    struct laxity_thread_table *table, const struct laxity_thread_event *event
)
{
    if (!event->comm) {
        return take_fork(table, event);
    }
    struct laxity_threads_row *row = find_live(table, event->tid);
    if (row && (row->comm[0] == '\0' || row->from_ns >= event->time_ns)) {
        laxity_format(row->comm, sizeof row->comm, "%s", event->comm);
        return 0;
    }
    int32_t pid = event->pid;
    if (row) {
        row->to_ns = event->time_ns;
        pid = pid == LAXITY_ABSENT_TID ? row->pid : pid;
    }
    return add_live(table, pid, event->tid, event->comm, event->time_ns);
}

void laxity_thread_table_exit(struct laxity_thread_table *table, int32_t tid, int64_t time_ns)
{
    struct laxity_threads_row *row = find_live(table, tid);
    if (row) {
        row->to_ns = time_ns;
        table->live[tid] = 0;
    }
}

static int32_t number_of(const char *name)
{
    char *end = NULL;
    const long number = strtol(name, &end, DECIMAL);
    return *end == '\0' && number > 0 && number < TIDS ? (int32_t)number : -1;
}

/* The threads of one process; those that end meanwhile are not an error. */
static int scan_process(struct laxity_thread_table *table, int32_t pid, int64_t time_ns)
{
    char path[PATH_MAX];
    laxity_format(path, sizeof path, "/proc/%d/task", pid);
    DIR *threads = opendir(path);
    int rc = 0;
    const struct dirent *entry = NULL;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread reads this directory stream */
    while (threads && rc == 0 && (entry = readdir(threads))) {
        const int32_t tid = number_of(entry->d_name);
        if (tid < 0 || find_live(table, tid)) {
            continue;
        }
        char comm[LAXITY_COMM_BYTES + 1] = "";
        laxity_format(path, sizeof path, "/proc/%d/task/%d/comm", pid, tid);
        if (laxity_read_text(path, comm, sizeof comm) == 0) {
            comm[strcspn(comm, "\n")] = '\0';
            rc = add_live(table, pid, tid, comm, time_ns);
        }
    }
    if (threads) {
        (void)closedir(threads);
    }
    return rc;
}

int laxity_thread_table_scan(struct laxity_thread_table *table, int64_t time_ns)
{
    DIR *processes = opendir("/proc");
    if (!processes) {
        return -errno;
    }
    int rc = 0;
    const struct dirent *entry = NULL;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread reads this directory stream */
    while (rc == 0 && (entry = readdir(processes))) {
        const int32_t pid = number_of(entry->d_name);
        rc = pid < 0 ? 0 : scan_process(table, pid, time_ns);
    }
    (void)closedir(processes);
    return rc;
}

/* Gives the task of one row of the harness to every thread of its process. */
static bool join_row(struct laxity_thread_table *table, const struct laxity_threads_row *known)
{
    bool is_met = false;
    for (size_t i = 0; i < table->n; i++) {
        struct laxity_threads_row *row = &table->rows[i];
        if (row->pid == known->pid) {
            row->task = known->task;
            is_met = is_met || row->tid == known->tid;
        }
    }
    return is_met;
}

static int join_harness(struct laxity_thread_table *table, int dir_fd)
{
    struct stat status;
    if (fstatat(dir_fd, file_name, &status, 0) != 0 || status.st_size < LAXITY_NPY_HEADER_BYTES) {
        return 0; /* no such stream: only the trace knows threads */
    }
    const uint64_t n =
        (uint64_t)(status.st_size - LAXITY_NPY_HEADER_BYTES) / sizeof(struct laxity_threads_row);
    struct laxity_npy npy;
    int rc = laxity_npy_reopen(dir_fd, file_name, fields, N_FIELDS, n, &npy);
    if (rc) {
        return rc;
    }
    for (uint64_t i = 0; i < n && rc == 0; i++) {
        struct laxity_threads_row known;
        rc = laxity_npy_read(&npy, i, &known, 1);
        if (rc == 0 && !join_row(table, &known)) {
            rc = append(table, &known);
        }
    }
    const int closed = laxity_npy_close(&npy);
    return rc ? rc : closed;
}

int laxity_thread_table_write(struct laxity_thread_table *table, int dir_fd)
{
    int rc = join_harness(table, dir_fd);
    if (rc) {
        return rc;
    }
    struct laxity_npy npy;
    rc = laxity_npy_create(dir_fd, file_name, fields, N_FIELDS, &npy);
    if (rc) {
        return rc;
    }
    rc = laxity_npy_write(&npy, 0, table->rows, table->n);
    const int closed = laxity_npy_close(&npy);
    return rc ? rc : closed;
}

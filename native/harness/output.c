/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "harness/output.h"

#include "base/error.h"
#include "harness/segment.h"
#include "schema/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum {
    LOG_LIMIT_BYTES = 1024 * 1024,
    CHUNK_BYTES = 16 * 1024,
    /* A process that prints without end must not keep the drain process from the rings. */
    CHUNKS_PER_CALL = 64,
    HEADING_BYTES = LAXITY_NAME_BYTES + 32,
    FILE_MODE = 0644,
};

static const char *source_name(struct laxity_segment *segment, uint32_t source)
{
    if (source < segment->n_tasks) {
        return laxity_segment_task(segment, source)->config.process.name;
    }
    return laxity_segment_corunner(segment, source - segment->n_tasks)->config.name;
}

static void append_log(
    struct laxity_segment *segment, int dir_fd, uint32_t source, const char *text, size_t bytes
)
{
    if (segment->log_bytes >= LOG_LIMIT_BYTES) {
        return;
    }
    const size_t room = (size_t)(LOG_LIMIT_BYTES - segment->log_bytes);
    const int fd =
        openat(dir_fd, "output.log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, FILE_MODE);
    if (fd < 0) {
        return;
    }
    if (segment->log_source != source + 1) {
        char heading[HEADING_BYTES];
        laxity_format(heading, sizeof heading, "== %s ==\n", source_name(segment, source));
        (void)!write(fd, heading, strlen(heading));
        segment->log_source = source + 1;
    }
    const ssize_t written = write(fd, text, bytes < room ? bytes : room);
    segment->log_bytes += written > 0 ? (uint64_t)written : 0;
    (void)close(fd);
}

int laxity_output_copy(struct laxity_segment *segment, int dir_fd, int pipe_fd, uint32_t source)
{
    char chunk[CHUNK_BYTES];
    for (int i = 0; i < CHUNKS_PER_CALL; i++) {
        const ssize_t got = read(pipe_fd, chunk, sizeof chunk);
        if (got < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        if (got == 0) {
            return 0;
        }
        if (source < segment->n_tasks) {
            laxity_segment_task(segment, source)->drain.output_bytes += (uint64_t)got;
        }
        append_log(segment, dir_fd, source, chunk, (size_t)got);
    }
    return 1;
}

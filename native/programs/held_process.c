/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "programs/held_process.h"

#include "base/error.h"
#include "base/port/ticks.h"
#include "base/port/time.h"
#include "programs/hold.h"
#include "programs/process_usage.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CANNOT_EXEC = 127,
    PATH_BYTES = 4096,
    NUMBERS_BYTES = 32,
    LOADER_BYTES = 256,
};

#define STUB_NAME "laxity-hold.so"

/* Where the loader ends a path in LD_PRELOAD, and what it puts something else in place of
 * (ld.so(8)). */
#define NOT_PRELOADABLE " :$"

static int refuse(struct laxity_error *error, const char *what, int number, const char *cure)
{
    return laxity_refuse(
        error, LAXITY_EXIT_LACKING, "%.100s: %s; %s", what, strerrordesc_np(number), cure
    );
}

/* What two programs must share. */
struct loaded_by {
    unsigned char identity[EI_NIDENT];
    uint16_t machine;
    char loader[LOADER_BYTES];
};

static bool read_at(int fd, void *data, size_t bytes, uint64_t offset)
{
    return pread(fd, data, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* Headers of our own class alone: another one is another machine. */
static bool read_loader(int fd, struct loaded_by *out)
{
    ElfW(Ehdr) header;
    if (!read_at(fd, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_phentsize != sizeof(ElfW(Phdr))) {
        return false;
    }
    memset(out, 0, sizeof *out);
    memcpy(out->identity, header.e_ident, EI_OSABI);
    out->machine = header.e_machine;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        ElfW(Phdr) segment;
        if (!read_at(fd, &segment, sizeof segment, header.e_phoff + i * sizeof segment)) {
            return false;
        }
        if (segment.p_type == PT_INTERP) {
            return segment.p_filesz < sizeof out->loader &&
                   read_at(fd, out->loader, segment.p_filesz, segment.p_offset);
        }
    }
    return false;
}

static bool read_path(const char *path, struct loaded_by *out)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    const bool is_read = read_loader(fd, out);
    (void)close(fd);
    return is_read;
}

/*
 * Whether a program is for this machine and is loaded by the same dynamic linker as we are, so that
 * an object of ours can be preloaded into it: no static program, no script, no other C library, and
 * none that cannot be read.
 */
static bool has_our_loader(const char *path)
{
    struct loaded_by ours;
    struct loaded_by theirs;
    return read_path("/proc/self/exe", &ours) && read_path(path, &theirs) &&
           memcmp(&ours, &theirs, sizeof ours) == 0;
}

/* Beside this executable. */
static char *find_stub(void)
{
    char path[PATH_BYTES];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof STUB_NAME - 1);
    if (n <= 0) {
        return NULL;
    }
    path[n] = '\0';
    char *slash = strrchr(path, '/');
    laxity_format(slash + 1, (size_t)(path + sizeof path - slash - 1), "%s", STUB_NAME);
    return access(path, R_OK) == 0 ? strdup(path) : NULL;
}

/* A program that runs with other rights than ours is neither preloaded nor, if it is traced, given
 * them: it would not be the same program. */
static int check_rights(const char *path, struct laxity_error *error)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return refuse(error, path, errno, "build it or correct exec");
    }
    if ((status.st_mode & (S_ISUID | S_ISGID)) != 0) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "%.100s: is set-user-ID or set-group-ID and cannot be held before its release; run a "
            "copy without it",
            path
        );
    }
    return 0;
}

static int
open_files(struct laxity_held_process *held, const char *input_path, struct laxity_error *error)
{
    const char *input = input_path[0] != '\0' ? input_path : "/dev/null";
    held->input_fd = open(input, O_RDONLY | O_CLOEXEC);
    if (held->input_fd < 0) {
        return refuse(error, input, errno, "correct the path of its standard input");
    }
    held->output_fd = memfd_create("output", MFD_CLOEXEC);
    held->hold_fd = memfd_create("hold", MFD_CLOEXEC);
    if (held->output_fd < 0 || held->hold_fd < 0 ||
        fcntl(held->output_fd, F_SETFL, O_APPEND) != 0 ||
        ftruncate(held->hold_fd, sizeof *held->hold) != 0) {
        return refuse(error, "memory of a held process", errno, "raise ulimit -n");
    }
    void *base =
        mmap(NULL, sizeof *held->hold, PROT_READ | PROT_WRITE, MAP_SHARED, held->hold_fd, 0);
    if (base == MAP_FAILED) {
        return refuse(error, "memory of a held process", errno, "end other processes");
    }
    held->hold = base;
    return 0;
}

int laxity_held_open(
    struct laxity_held_process *held,
    char **words,
    const char *input_path,
    struct laxity_error *error
)
{
    *held = (struct laxity_held_process){.words = words, .way = LAXITY_HOLD_AT_EXEC};
    if (check_rights(words[0], error) || open_files(held, input_path, error)) {
        return -1;
    }
    const char *preload = getenv("LD_PRELOAD"); /* NOLINT(concurrency-mt-unsafe): one thread */
    if (preload && strlen(preload) >= sizeof held->hold->preload) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "LD_PRELOAD: too long; shorten it");
    }
    laxity_format(held->hold->preload, sizeof held->hold->preload, "%s", preload ? preload : "");
    held->stub = find_stub();
    held->stub_fd = -1;
    if (held->stub && strpbrk(held->stub, NOT_PRELOADABLE)) {
        held->stub_fd = open(held->stub, O_RDONLY | O_CLOEXEC);
        if (held->stub_fd < 0) {
            return refuse(error, held->stub, errno, "build it again");
        }
    }
    if (held->stub && has_our_loader(words[0])) {
        held->way = LAXITY_HOLD_PRELOADED;
    }
    return 0;
}

void laxity_held_reset(
    const struct laxity_held_process *held, int64_t release_ns, bool locks_memory, bool has_ticks
)
{
    struct laxity_hold *hold = held->hold;
    hold->release_ns = release_ns;
    hold->locks_memory = locks_memory;
    hold->has_ticks = has_ticks;
    hold->exec_error = 0;
    hold->lock_error = 0;
    hold->start = (struct laxity_hold_start){.cpu = -1};
    atomic_store(&hold->has_started, 0);
    atomic_store(&hold->is_held, 0);
    (void)!ftruncate(held->output_fd, 0);
}

static void give_stub(const struct laxity_held_process *held)
{
    char numbers[NUMBERS_BYTES];
    char stub[PATH_BYTES];
    char preload[PATH_BYTES + LAXITY_HOLD_PRELOAD_BYTES];
    const char *others = held->hold->preload;
    const int fd = dup(held->hold_fd);                               /* without close-on-exec */
    const int stub_fd = held->stub_fd < 0 ? -1 : dup(held->stub_fd); /* the same */
    laxity_format(stub, sizeof stub, "%s", held->stub);
    if (stub_fd >= 0) {
        laxity_format(stub, sizeof stub, "/proc/self/fd/%d", stub_fd);
    }
    laxity_format(numbers, sizeof numbers, "%d %d", fd, stub_fd);
    laxity_format(preload, sizeof preload, "%s%s%s", stub, others[0] != '\0' ? ":" : "", others);
    (void)setenv(LAXITY_HOLD_VARIABLE, numbers, 1); /* NOLINT(concurrency-mt-unsafe): one thread */
    (void)setenv("LD_PRELOAD", preload, 1);         /* NOLINT(concurrency-mt-unsafe): one thread */
}

_Noreturn void laxity_held_become(const struct laxity_held_process *held)
{
    struct laxity_hold *hold = held->hold;
    /* Its own place in the file: another job has left its own. */
    (void)lseek(held->input_fd, 0, SEEK_SET);
    (void)dup2(held->input_fd, STDIN_FILENO);
    (void)dup2(held->output_fd, STDOUT_FILENO);
    (void)dup2(held->output_fd, STDERR_FILENO);
    if (held->way == LAXITY_HOLD_PRELOADED) {
        give_stub(held);
    } else if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
        hold->exec_error = -errno;
        _exit(CANNOT_EXEC);
    }
    (void)execv(held->words[0], held->words);
    hold->exec_error = -errno;
    _exit(CANNOT_EXEC);
}

int laxity_held_become_free(const struct laxity_held_process *held)
{
    /* Its own place in the file: another pass has left its own. */
    (void)lseek(held->input_fd, 0, SEEK_SET);
    (void)dup2(held->input_fd, STDIN_FILENO);
    (void)execv(held->words[0], held->words);
    return -errno;
}

int laxity_held_await_stop(
    const struct laxity_held_process *held, pid_t process, struct laxity_error *error
)
{
    siginfo_t info = {.si_pid = 0};
    int rc = 0;
    do {
        /* Not reaped, should it have ended instead. */
        rc = waitid(P_PID, (id_t)process, &info, WEXITED | WSTOPPED | WNOWAIT);
    } while (rc != 0 && errno == EINTR);
    if (rc != 0 || info.si_code != CLD_TRAPPED) {
        const int number = held->hold->exec_error != 0 ? -held->hold->exec_error : ECHILD;
        return refuse(error, held->words[0], number, "it cannot be held before its release");
    }
    laxity_touch_process(process);
    held->hold->start.ready_ns = laxity_now_ns();
    atomic_store_explicit(&held->hold->is_held, 1, memory_order_release);
    return 0;
}

void laxity_held_let_go(const struct laxity_held_process *held, pid_t process)
{
    struct laxity_hold *hold = held->hold;
    laxity_read_process_usage(process, &hold->start);
    hold->start.start_ticks = hold->has_ticks ? laxity_ticks() : 0;
    hold->start.start_ns = laxity_now_ns();
    atomic_store_explicit(&hold->has_started, 1, memory_order_release);
    (void)ptrace(PTRACE_DETACH, process, NULL, NULL);
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "interface/emulator.h"

#include "interface/engine.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

struct laxity_sim_emulator {
    int fd;
    pid_t pid;
    laxity_sim_patience patience;
    int status; /* when `why` is known */
    std::string why;
};

namespace {

/* The descriptor of the stream in the emulator. */
constexpr int STREAM_FD = 3;

int spawn(pid_t &pid, char *const *argv, int write_fd, int output_fd)
{
    posix_spawn_file_actions_t actions;
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc != 0) {
        return rc;
    }
    rc = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    rc = rc != 0 ? rc : posix_spawn_file_actions_adddup2(&actions, output_fd, STDOUT_FILENO);
    rc = rc != 0 ? rc : posix_spawn_file_actions_adddup2(&actions, output_fd, STDERR_FILENO);
    rc = rc != 0 ? rc : posix_spawn_file_actions_adddup2(&actions, write_fd, STREAM_FD);
    /* What we have inherited would change the numbers of files that it opens. */
    rc = rc != 0 ? rc : posix_spawn_file_actions_addclosefrom_np(&actions, STREAM_FD + 1);
    /* Without an environment: it would move the stack, and with it the caches' contents. */
    std::array<char *, 1> environment{nullptr};
    /* In a group of its own: what a terminal sends is for us, who end it. Signals are as new: a
     * program can ask which of them its parent ignores or blocks. */
    posix_spawnattr_t attributes;
    rc = rc != 0 ? rc : posix_spawnattr_init(&attributes);
    if (rc == 0) {
        constexpr int AS_NEW =
            POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
        sigset_t signals;
        (void)sigfillset(&signals);
        (void)posix_spawnattr_setsigdefault(&attributes, &signals);
        (void)sigemptyset(&signals);
        (void)posix_spawnattr_setsigmask(&attributes, &signals);
        (void)posix_spawnattr_setpgroup(&attributes, 0);
        (void)posix_spawnattr_setflags(&attributes, AS_NEW);
        rc = posix_spawn(&pid, argv[0], &actions, &attributes, argv, environment.data());
        (void)posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return rc;
}

constexpr int LOOK_EVERY_MS = 100;

bool must_stop(const laxity_sim_emulator &emulator)
{
    const laxity_sim_patience &patience = emulator.patience;
    return patience.must_stop != nullptr && patience.must_stop(patience.context);
}

/* Until there is something to read, or the end. False: nobody waits any longer. */
bool wait_for_words(const laxity_sim_emulator &emulator)
{
    pollfd stream{.fd = emulator.fd, .events = POLLIN, .revents = 0};
    while (poll(&stream, 1, LOOK_EVERY_MS) <= 0) {
        if (must_stop(emulator)) {
            return false;
        }
    }
    return true;
}

/* What it has started ends with it. */
int end_group(laxity_sim_emulator &emulator)
{
    int status = 0;
    (void)kill(-emulator.pid, SIGKILL);
    if (waitpid(emulator.pid, &status, 0) != emulator.pid) {
        status = 0;
    }
    emulator.pid = 0;
    return status;
}

/* How the program has died. */
std::string end_of(laxity_sim_emulator &emulator)
{
    /* Until it has been waited for, its number is that of its group. */
    siginfo_t ended{};
    const int looks = emulator.patience.looks_at_end;
    for (int look = 0; look < looks && ended.si_pid == 0 && !must_stop(emulator); look++) {
        if (look > 0) {
            (void)poll(nullptr, 0, LOOK_EVERY_MS);
        }
        (void)waitid(P_PID, static_cast<id_t>(emulator.pid), &ended, WEXITED | WNOWAIT | WNOHANG);
    }
    if (ended.si_pid == 0) {
        (void)end_group(emulator);
        emulator.status = -1;
        return "the program has closed what its records are written into";
    }
    const int status = end_group(emulator);
    emulator.status = status;
    if (WIFSIGNALED(status)) {
        const char *const name = sigdescr_np(WTERMSIG(status));
        return std::string{"the program died of "} + (name != nullptr ? name : "a signal");
    }
    return "the program ended by itself, exit code " + std::to_string(WEXITSTATUS(status));
}

/* Whole words. */
std::size_t read_words(void *context, std::uint64_t *words, std::size_t n)
{
    auto &emulator = *static_cast<laxity_sim_emulator *>(context);
    std::size_t bytes = 0;
    while (bytes == 0 || bytes % sizeof *words != 0) {
        if (!wait_for_words(emulator)) {
            emulator.why = "the run was ended";
            return 0;
        }
        auto *const to = reinterpret_cast<char *>(words) + bytes;
        const ssize_t got = read(emulator.fd, to, n * sizeof *words - bytes);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            emulator.why = bytes > 0 ? "the program: its stream ends within a record" : "";
            return 0;
        }
        bytes += static_cast<std::size_t>(got);
    }
    return bytes / sizeof *words;
}

const char *why_ended(void *context)
{
    auto &emulator = *static_cast<laxity_sim_emulator *>(context);
    if (emulator.why.empty()) {
        emulator.why = end_of(emulator);
    }
    return emulator.why.c_str();
}

} // namespace

int laxity_sim_emulator_start(
    char *const *argv,
    int output_fd,
    laxity_sim_patience patience,
    laxity_sim_emulator **out_emulator
)
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        return errno;
    }
    auto *const emulator = new (std::nothrow)
        laxity_sim_emulator{.fd = ends[0], .pid = 0, .patience = patience, .status = 0, .why = {}};
    if (emulator == nullptr) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        return ENOMEM;
    }
    /* A descriptor of the number that it is to have would be closed on exec. */
    int write_fd = ends[1];
    if (write_fd == STREAM_FD) {
        write_fd = fcntl(ends[1], F_DUPFD_CLOEXEC, STREAM_FD + 1);
        (void)close(ends[1]);
    }
    const int rc = spawn(emulator->pid, argv, write_fd, output_fd);
    (void)close(write_fd);
    if (rc != 0) {
        emulator->pid = 0;
        laxity_sim_emulator_stop(emulator);
        return rc;
    }
    *out_emulator = emulator;
    return 0;
}

laxity_sim_source laxity_sim_emulator_source(laxity_sim_emulator *emulator)
{
    return {.context = emulator, .read = read_words, .why = why_ended};
}

const char *laxity_sim_emulator_failure(laxity_sim_emulator *emulator)
{
    const char *const why = why_ended(emulator);
    return emulator->status != 0 ? why : nullptr;
}

void laxity_sim_emulator_stop(laxity_sim_emulator *emulator)
{
    if (emulator == nullptr) {
        return;
    }
    (void)close(emulator->fd);
    if (emulator->pid > 0) {
        (void)end_group(*emulator);
    }
    delete emulator;
}

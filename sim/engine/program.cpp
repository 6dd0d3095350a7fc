/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "engine/program.hpp"

#include "engine/reader.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace laxity {

namespace {

/* The descriptor of the stream in the emulator. */
constexpr int STREAM_FD = 3;

int spawn(pid_t &pid, char *const *argv, int write_fd)
{
    posix_spawn_file_actions_t actions;
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc != 0) {
        return rc;
    }
    /* Data is for nobody to see; what the emulator says goes where our messages go. */
    rc = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    rc = rc != 0 ? rc : posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    rc = rc != 0 ? rc : posix_spawn_file_actions_adddup2(&actions, write_fd, STREAM_FD);
    /* Without an environment: it would move the stack, and with it the caches' contents. */
    std::array<char *, 1> environment{nullptr};
    /* In a group of its own: what a terminal sends is for us, who end it. */
    posix_spawnattr_t attributes;
    rc = rc != 0 ? rc : posix_spawnattr_init(&attributes);
    if (rc == 0) {
        (void)posix_spawnattr_setpgroup(&attributes, 0);
        (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        rc = posix_spawn(&pid, argv[0], &actions, &attributes, argv, environment.data());
        (void)posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return rc;
}

} // namespace

int Program::start(char *const *argv)
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        return errno;
    }
    fd_ = ends[0];
    reader_ = Reader{fd_};
    /* A descriptor of the number that it is to have would be closed on exec. */
    int write_fd = ends[1];
    if (write_fd == STREAM_FD) {
        write_fd = fcntl(ends[1], F_DUPFD_CLOEXEC, STREAM_FD + 1);
        (void)close(ends[1]);
    }
    const int rc = spawn(pid_, argv, write_fd);
    (void)close(write_fd);
    if (rc != 0) {
        pid_ = 0;
    }
    return rc;
}

std::string Program::end()
{
    if (!reader_.problem().empty()) {
        return "the program: " + reader_.problem();
    }
    int status = 0;
    if (waitpid(pid_, &status, 0) != pid_) {
        status = 0;
    }
    pid_ = 0;
    if (WIFSIGNALED(status)) {
        const char *const name = sigdescr_np(WTERMSIG(status));
        return std::string{"the program died of "} + (name != nullptr ? name : "a signal");
    }
    return "the program ended by itself, exit code " + std::to_string(WEXITSTATUS(status));
}

Program::~Program()
{
    if (fd_ >= 0) {
        (void)close(fd_);
    }
    if (pid_ > 0) {
        (void)kill(pid_, SIGKILL);
        (void)waitpid(pid_, nullptr, 0);
    }
}

} // namespace laxity

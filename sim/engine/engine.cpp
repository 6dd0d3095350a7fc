/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "interface/engine.h"

#include "engine/core.hpp"
#include "engine/reader.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <new>
#include <optional>
#include <spawn.h>
#include <string>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

/* The descriptor of the stream in the emulator. */
static constexpr int STREAM_FD = 3;

/* Milliseconds of work between two looks whether to go on. */
static constexpr std::uint64_t EVENTS_PER_LOOK = 1 << 20;

/* Products of ticks and frequencies. */
__extension__ using Wide = unsigned __int128;

static constexpr Wide NS_PER_S = 1'000'000'000;

struct laxity_sim {
    laxity_sim(const laxity_sim_platform &platform, const laxity_sim_program &asked, int read_fd)
        : fd(read_fd), program(asked), reader(read_fd), core(platform), clock_hz(platform.clock_hz)
    {
    }

    [[nodiscard]] std::int64_t ns_of(std::uint64_t ticks) const
    {
        return static_cast<std::int64_t>((ticks * NS_PER_S + clock_hz - 1) / clock_hz);
    }

    [[nodiscard]] std::uint64_t ticks_of(std::int64_t time_ns) const
    {
        const Wide scaled = static_cast<Wide>(time_ns) * clock_hz;
        return static_cast<std::uint64_t>((scaled + NS_PER_S - 1) / NS_PER_S);
    }

    int fd;
    laxity_sim_program program;
    pid_t pid = 0;
    laxity::Reader reader;
    laxity::Core core;
    std::uint64_t clock_hz;
    std::uint64_t idle_ticks = 0; /* so far: what the clock shows beyond what the core has spent */
};

static int start(laxity_sim &sim, char *const *argv, int write_fd)
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
    rc = rc != 0 ? rc : posix_spawn(&sim.pid, argv[0], &actions, nullptr, argv, environment.data());
    posix_spawn_file_actions_destroy(&actions);
    return rc;
}

laxity_sim *laxity_sim_open(
    const laxity_sim_platform *platform, const laxity_sim_program *program, laxity_error *error
)
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        laxity_error_set(error, LAXITY_EXIT_LACKING, "no pipe: %s", strerrordesc_np(errno));
        return nullptr;
    }
    auto *const sim = new (std::nothrow) laxity_sim{*platform, *program, ends[0]};
    /* A descriptor of the number that it is to have would be closed on exec. */
    int write_fd = ends[1];
    if (write_fd == STREAM_FD) {
        write_fd = fcntl(ends[1], F_DUPFD_CLOEXEC, STREAM_FD + 1);
        (void)close(ends[1]);
    }
    const int rc = sim == nullptr ? ENOMEM : start(*sim, program->argv, write_fd);
    (void)close(write_fd);
    if (rc != 0) {
        laxity_error_set(
            error,
            LAXITY_EXIT_LACKING,
            "%.100s: cannot be started: %s",
            program->argv[0],
            strerrordesc_np(rc)
        );
        laxity_sim_close(sim);
        return nullptr;
    }
    return sim;
}

/* The program has ended, or its stream: says why. */
static int refuse_end(laxity_sim &sim, laxity_error *error)
{
    if (!sim.reader.problem().empty()) {
        return laxity_refuse(
            error, LAXITY_EXIT_INTERNAL, "the program: %s", sim.reader.problem().c_str()
        );
    }
    int status = 0;
    if (waitpid(sim.pid, &status, 0) != sim.pid) {
        status = 0;
    }
    sim.pid = 0;
    if (WIFSIGNALED(status)) {
        return laxity_refuse(
            error, LAXITY_EXIT_VIOLATED, "the program died of %s", sigdescr_np(WTERMSIG(status))
        );
    }
    return laxity_refuse(
        error,
        LAXITY_EXIT_VIOLATED,
        "the program ended by itself, exit code %d",
        WEXITSTATUS(status)
    );
}

int laxity_sim_run_job(
    laxity_sim *sim, std::int64_t release_ns, laxity_sim_job *out_job, laxity_error *error
)
{
    std::optional<laxity::Event> event = sim->reader.next();
    /* What lies before a job is init, or between two: not simulated. */
    while (event && *event != laxity::Event::JobStart && *event != laxity::Event::End) {
        event = sim->reader.next();
    }
    const std::uint64_t now = sim->idle_ticks + sim->core.spent().sum();
    const std::uint64_t release = sim->ticks_of(release_ns);
    sim->idle_ticks += release > now ? release - now : 0;
    const laxity::Spent before = sim->core.spent();
    std::uint64_t n_events = 0;
    while (event && *event != laxity::Event::JobFinish && *event != laxity::Event::End) {
        if (*event == laxity::Event::Block) {
            sim->core.execute(sim->reader.block());
        } else if (*event == laxity::Event::Access) {
            sim->core.access(sim->reader.access());
        }
        if (++n_events % EVENTS_PER_LOOK == 0 && sim->program.must_stop(sim->program.context)) {
            return laxity_refuse(error, LAXITY_EXIT_INTERRUPTED, "interrupted");
        }
        event = sim->reader.next();
    }
    if (!event || *event == laxity::Event::End) {
        return refuse_end(*sim, error);
    }
    const laxity::Spent &after = sim->core.spent();
    /* Differences of what has been floored as a whole: so they sum to the execution exactly. */
    const auto floor_ns = [sim](std::uint64_t ticks) {
        return static_cast<std::int64_t>(ticks * NS_PER_S / sim->clock_hz);
    };
    const std::uint64_t busy = after.busy - before.busy;
    const std::uint64_t all = after.sum() - before.sum();
    *out_job = {
        .start_ns = sim->ns_of(sim->idle_ticks + before.sum()),
        .finish_ns = sim->ns_of(sim->idle_ticks + after.sum()),
        .exec_ns = floor_ns(all),
        .busy_ns = floor_ns(busy),
        .stall_own_ns = floor_ns(all) - floor_ns(busy),
    };
    return 0;
}

void laxity_sim_close(laxity_sim *sim)
{
    if (sim == nullptr) {
        return;
    }
    (void)close(sim->fd);
    if (sim->pid > 0) {
        (void)kill(sim->pid, SIGKILL);
        (void)waitpid(sim->pid, nullptr, 0);
    }
    delete sim;
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What stands in place of a program, and how its end is told; a shell is the emulator here. */
#include "../test.h"
#include "interface/emulator.h"
#include "interface/engine.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace {

struct Shell {
    explicit Shell(std::string script, int looks_at_end = LAXITY_SIM_LOOKS_AT_END)
    {
        std::string shell = "/bin/sh";
        std::string option = "-c";
        std::array<char *, 4> argv{shell.data(), option.data(), script.data(), nullptr};
        const laxity_sim_patience patience{nullptr, nullptr, looks_at_end};
        CHECK_EQUAL(laxity_sim_emulator_start(argv.data(), STDERR_FILENO, patience, &emulator), 0);
        source = laxity_sim_emulator_source(emulator);
    }
    Shell(const Shell &) = delete;
    Shell &operator=(const Shell &) = delete;
    ~Shell()
    {
        laxity_sim_emulator_stop(emulator);
    }

    std::size_t read(std::uint64_t *words, std::size_t n) const
    {
        return source.read(source.context, words, n);
    }

    [[nodiscard]] std::string why() const
    {
        return source.why(source.context);
    }

    laxity_sim_emulator *emulator = nullptr;
    laxity_sim_source source{};
};

void words_are_read_whole_and_then_the_end_is_told()
{
    const Shell shell{"printf 12345678 >&3; printf 1234567 >&3; printf 8 >&3; exit 7"};
    std::array<std::uint64_t, 4> words{};
    std::size_t n = 0;
    for (std::size_t some = 1; some > 0; n += some) {
        some = shell.read(&words.at(n), words.size() - n);
    }
    CHECK_EQUAL(n, 2);
    CHECK_EQUAL(words[0], words[1]);
    CHECK(shell.why() == "the program ended by itself, exit code 7");
    CHECK(laxity_sim_emulator_failure(shell.emulator) != nullptr);
}

void program_that_ends_well_has_not_failed()
{
    const Shell shell{"exit 0"};
    std::uint64_t word = 0;
    CHECK_EQUAL(shell.read(&word, 1), 0);
    CHECK(laxity_sim_emulator_failure(shell.emulator) == nullptr);
}

void program_that_dies_names_its_signal()
{
    const Shell shell{"kill -SEGV $$"};
    std::uint64_t word = 0;
    CHECK_EQUAL(shell.read(&word, 1), 0);
    CHECK(shell.why() == "the program died of Segmentation fault");
}

void end_within_a_word_is_told()
{
    const Shell shell{"printf 1234567 >&3"};
    std::uint64_t word = 0;
    CHECK_EQUAL(shell.read(&word, 1), 0);
    CHECK(shell.why() == "the program: its stream ends within a record");
}

/* It says which process it is, closes its stream, and does not end when it is asked to. */
void program_that_ignores_its_end_is_killed_with_what_it_has_started()
{
    const Shell shell{
        "trap '' TERM HUP INT; sleep 100000 3>&- & printf '%08d%08d' $$ $! >&3; exec 3>&-; wait", 1
    };
    std::array<std::uint64_t, 2> words{};
    std::size_t n = 0;
    while (n < words.size()) {
        n += shell.read(&words.at(n), words.size() - n);
    }
    const std::string text{reinterpret_cast<const char *>(words.data()), sizeof words};
    const auto pid = static_cast<pid_t>(std::strtol(text.substr(0, 8).c_str(), nullptr, 10));
    CHECK_EQUAL(kill(pid, 0), 0);
    std::uint64_t word = 0;
    CHECK_EQUAL(shell.read(&word, 1), 0);
    CHECK(shell.why() == "the program has closed what its records are written into");
    CHECK(laxity_sim_emulator_failure(shell.emulator) != nullptr);
    /* It has been waited for. */
    CHECK_EQUAL(kill(pid, 0), -1);
    CHECK_EQUAL(errno, ESRCH);
}

bool is_over(void *looks)
{
    return --*static_cast<int *>(looks) == 0;
}

void run_that_ends_does_not_wait_for_a_program()
{
    int looks = 2;
    std::string sleep = "/bin/sleep";
    std::string seconds = "100000";
    std::array<char *, 3> argv{sleep.data(), seconds.data(), nullptr};
    const laxity_sim_patience patience{&looks, is_over, LAXITY_SIM_LOOKS_AT_END};
    laxity_sim_emulator *emulator = nullptr;
    CHECK_EQUAL(laxity_sim_emulator_start(argv.data(), STDERR_FILENO, patience, &emulator), 0);
    const laxity_sim_source source = laxity_sim_emulator_source(emulator);
    std::uint64_t word = 0;
    CHECK_EQUAL(source.read(source.context, &word, 1), 0);
    CHECK_EQUAL(looks, 0);
    CHECK(source.why(source.context) == std::string{"the run was ended"});
    laxity_sim_emulator_stop(emulator);
}

void emulator_that_is_not_there_is_told()
{
    std::string nothing = "/nowhere/at/all";
    std::array<char *, 2> argv{nothing.data(), nullptr};
    laxity_sim_emulator *emulator = nullptr;
    CHECK_EQUAL(laxity_sim_emulator_start(argv.data(), STDERR_FILENO, {}, &emulator), ENOENT);
}

} // namespace

int main()
{
    RUN(words_are_read_whole_and_then_the_end_is_told);
    RUN(program_that_ends_well_has_not_failed);
    RUN(program_that_dies_names_its_signal);
    RUN(end_within_a_word_is_told);
    RUN(program_that_ignores_its_end_is_killed_with_what_it_has_started);
    RUN(run_that_ends_does_not_wait_for_a_program);
    RUN(emulator_that_is_not_there_is_told);
    return test_exit_code();
}

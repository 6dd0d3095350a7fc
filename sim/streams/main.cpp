/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * laxity-sim-stream: stored streams of programs (sim/streams/file.hpp).
 *
 *   record FILE IDENTITY LABEL BYTES SECONDS WORDS OUTPUT PROGRAM
 *                                      standard input into FILE, at most so many bytes, and when
 *                                      it has ended what has been printed into OUTPUT; between
 *                                      two borders of jobs at most so many seconds. WORDS above 0:
 *                                      of a program that comes to no end its first WORDS words, and
 *                                      nothing that it prints. FILE is whole if the exit code is 0.
 *                                      Progress goes to standard output as laxity-run tells it.
 *   read FILE                          FILE to standard output
 *   check FILE                         whether all checksums of FILE hold
 *   lines FILE BYTES PROGRAM           how many lines of so many bytes the jobs in FILE touch
 *                                      (streams/lines.hpp): the number of jobs, then a row for each
 *                                      class of memory and one of all, with eight numbers: read,
 *                                      written, lines, pages, largest of a job and of all jobs
 */
#include "streams/file.hpp"
#include "streams/grammar.hpp"
#include "streams/lines.hpp"
#include "streams/stored.hpp"
#include "streams/writer.hpp"

extern "C" {
#include "base/error.h"
#include "base/port/time.h"
#include "base/visible.h"
#include "interface/decoder.h"
#include "interface/engine.h"
#include "interface/forbidden.h"
#include "interface/records.h"
#include "interface/storage.h"
}

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr std::size_t WORDS = 16384;
constexpr std::int64_t PROGRESS_EVERY_NS = std::int64_t{200} * LAXITY_NS_PER_MS;
constexpr int LOOK_EVERY_MS = 200;
constexpr int FILE_MODE = 0644;
constexpr int DECIMAL = 10;
constexpr std::size_t WHY_BYTES = 128;
/* Else a program that asks the system is not recorded: what is kept for later runs must be what
 * they would do. */
constexpr std::string_view MAY_ASK = "asks";

using Words = std::array<std::uint64_t, WORDS>;

int refuse(int exit_code, const std::string &text)
{
    laxity_write_message("laxity-sim-stream", text.c_str());
    return exit_code;
}

/* Reads what there is, whole words unless nothing comes any more; the number of bytes. */
std::size_t fill(Words &words)
{
    std::size_t bytes = 0;
    while (bytes == 0 || bytes % sizeof words[0] != 0) {
        auto *const to = reinterpret_cast<char *>(words.data()) + bytes;
        const ssize_t n = read(STDIN_FILENO, to, sizeof words - bytes);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            break;
        }
        bytes += static_cast<std::size_t>(n);
    }
    return bytes;
}

/* False: nothing has come until then. */
bool wait_for_words(std::int64_t until_ns)
{
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    while (poll(&input, 1, LOOK_EVERY_MS) <= 0) {
        if (laxity_now_ns() > until_ns) {
            return false;
        }
    }
    return true;
}

void tell_progress(const laxity::StoredWriter &writer, std::int64_t elapsed_ns)
{
    (void)std::printf("progress %" PRIu64 " 0 %" PRId64 "\n", writer.header().jobs, elapsed_ns);
    (void)std::fflush(stdout);
}

/* Enough of a file to see that it is too long. */
std::string read_output(const char *path)
{
    std::string output(laxity::OUTPUT_BYTES_MAX + 1, '\0');
    std::FILE *const file = std::fopen(path, "rb");
    output.resize(file != nullptr ? std::fread(output.data(), 1, output.size(), file) : 0);
    if (file != nullptr) {
        (void)std::fclose(file);
    }
    return output;
}

/* Instructions of a program that read clocks, counters and noise. */
class Clocks {
  public:
    Clocks() = default;
    Clocks(const Clocks &) = delete;
    Clocks &operator=(const Clocks &) = delete;
    ~Clocks()
    {
        laxity_sim_decoder_close(&decoder_);
    }

    [[nodiscard]] bool
    open(const laxity_sim_call_table &table, const char *program, laxity_error &error)
    {
        const laxity_sim_decoder_options options{
            .architecture = laxity_sim_call_isa(&table),
            .scheduling = "none",
            .program = program,
            .cycle_ticks = 1,
        };
        return laxity_sim_decoder_open(&options, &decoder_, &error) == 0;
    }

    /* What a block reads, by the words of its definition; nullptr: the same in every run. */
    const char *read_by(std::span<const std::uint64_t> definition)
    {
        if (definition.size() < 2 || definition[1] > LAXITY_RECORD_INSTRUCTIONS_MAX) {
            return nullptr;
        }
        const auto n = static_cast<std::size_t>(definition[1]);
        const auto bytes = std::as_bytes(definition.subspan(2));
        const std::size_t n_sizes = (n + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
        std::vector<laxity_sim_instruction> instructions(n);
        std::size_t left = bytes.size() - std::min(bytes.size(), n_sizes * sizeof(std::uint64_t));
        for (std::size_t i = 0; i < n; i++) {
            const std::size_t size = i < bytes.size() ? std::to_integer<std::size_t>(bytes[i]) : 0;
            if (size == 0 || size > left) {
                return nullptr; /* the definition is cut */
            }
            instructions[i].bytes = static_cast<std::uint8_t>(size);
            left -= size;
        }
        const auto code = bytes.subspan(n_sizes * sizeof(std::uint64_t));
        const auto *const from = reinterpret_cast<const std::uint8_t *>(code.data());
        const auto number = static_cast<std::uint32_t>(n);
        decoder_.decode(decoder_.context, definition[0], from, instructions.data(), number);
        const auto found = std::ranges::find_if(instructions, [](const auto &instruction) {
            return instruction.clock != nullptr;
        });
        return found != instructions.end() ? found->clock : nullptr;
    }

  private:
    laxity_sim_decoder decoder_{};
};

/* Whether a program may go on after what it asked the kernel or the processor for. */
class Judge {
  public:
    Judge(const laxity_sim_call_table &table, Clocks &clocks, bool may_ask)
        : table_(table), clocks_(clocks), may_ask_(may_ask)
    {
    }

    bool accepts(std::span<const std::uint64_t> words)
    {
        return std::ranges::all_of(words, [this](std::uint64_t word) { return accepts(word); });
    }

    /* A program that comes to no end, or waits, is better simulated than recorded: a simulated job
     * has a timeout. */
    std::string give_up(std::int64_t job_ns)
    {
        return give_up(
            "has come to no further job for " + std::to_string(job_ns / LAXITY_NS_PER_S) + " s"
        );
    }

    std::string give_up(const std::string &it)
    {
        why_ = "it " + it + "; it is not recorded";
        return why_;
    }

    /* Of no use to later runs, though it can be simulated. */
    [[nodiscard]] bool is_of_this_run() const
    {
        return is_of_this_run_;
    }

    [[nodiscard]] bool has_refused() const
    {
        return !why_.empty();
    }

    [[nodiscard]] const std::string &why() const
    {
        return why_;
    }

  private:
    bool accepts(std::uint64_t word)
    {
        const laxity::Part part = grammar_.take(word);
        if (part == laxity::Part::CallRest || part == laxity::Part::BlockRest) {
            rest_.push_back(word);
            return part == laxity::Part::BlockRest || rest_.size() < LAXITY_RECORD_ARGUMENTS ||
                   accepts_call();
        }
        const bool is_accepted = !is_block_ || accepts_block();
        is_block_ = part == laxity::Part::Block;
        call_ = static_cast<std::uint32_t>(word);
        rest_.clear();
        return is_accepted;
    }

    /* An answer of the kernel has fewer words than a call, and does not come here. */
    bool accepts_call()
    {
        const char *const refused = laxity_sim_forbidden_call(&table_, call_);
        if (refused != nullptr) {
            std::array<char, WHY_BYTES> text{};
            laxity_format(text.data(), text.size(), LAXITY_SIM_WHY_FORBIDDEN, refused);
            why_ = text.data();
            return false;
        }
        return accepts_question(laxity_sim_question(&table_, &n_of_start_, call_, rest_.data()));
    }

    bool accepts_block()
    {
        return may_ask_ || accepts_question(clocks_.read_by(rest_));
    }

    bool accepts_question(const char *asked)
    {
        if (asked == nullptr || may_ask_) {
            return true;
        }
        is_of_this_run_ = true;
        (void)give_up(std::string{"asks the system ("} + asked + "), whose answer may change");
        return false;
    }

    const laxity_sim_call_table &table_;
    Clocks &clocks_;
    bool may_ask_;
    bool is_of_this_run_ = false;
    laxity::Grammar grammar_;
    bool is_block_ = false; /* what is being read */
    std::uint32_t call_ = 0;
    std::vector<std::uint64_t> rest_; /* its words after the first */
    unsigned n_of_start_ = 0;
    std::string why_;
};

/* What a recording may take. */
struct Limits {
    std::uint64_t bytes;
    std::int64_t job_ns; /* of real time */
    std::uint64_t words; /* 0: up to its end */
};

/* Write what came, as many words as are still to be recorded. Empty, or why not. */
std::string keep(
    laxity::StoredWriter &writer,
    const Limits &limits,
    Judge &judge,
    const Words &words,
    std::size_t bytes
)
{
    if (bytes % sizeof words[0] != 0) {
        return "the stream ends within a word";
    }
    if (bytes == 0 && limits.words > 0) {
        return judge.give_up("has ended by itself");
    }
    const std::span all{words.data(), bytes / sizeof words[0]};
    const std::uint64_t left = limits.words - writer.header().words;
    const auto read = limits.words > 0 && left < all.size() ? all.first(left) : all;
    if (!judge.accepts(read)) {
        return judge.why();
    }
    if (!writer.write(read)) {
        return writer.problem();
    }
    if (writer.bytes() > limits.bytes) {
        return "longer than " + std::to_string(limits.bytes) +
               " bytes, a quarter of what is kept; raise that (laxity sim streams --limit)";
    }
    return "";
}

/* Empty, or why not. */
std::string
record(laxity::StoredWriter &writer, int fd, const Limits &limits, const char *output, Judge &judge)
{
    static Words words;
    const std::int64_t begin_ns = laxity_now_ns();
    std::int64_t shown_ns = begin_ns;
    std::int64_t job_since_ns = begin_ns;
    std::uint64_t n_jobs = 0;
    std::size_t bytes = 0;
    do {
        if (!wait_for_words(job_since_ns + limits.job_ns)) {
            return judge.give_up(limits.job_ns);
        }
        bytes = fill(words);
        std::string problem = keep(writer, limits, judge, words, bytes);
        if (!problem.empty()) {
            return problem;
        }
        const std::int64_t now_ns = laxity_now_ns();
        job_since_ns = writer.header().jobs != n_jobs ? now_ns : job_since_ns;
        n_jobs = writer.header().jobs;
        if (now_ns - job_since_ns > limits.job_ns) {
            return judge.give_up(limits.job_ns);
        }
        if (now_ns - shown_ns >= PROGRESS_EVERY_NS) {
            shown_ns = now_ns;
            tell_progress(writer, now_ns - begin_ns);
        }
    } while (bytes > 0 && (limits.words == 0 || writer.header().words < limits.words));
    if (!writer.finish(limits.words > 0 ? std::string{} : read_output(output))) {
        return writer.problem();
    }
    return fsync(fd) == 0 ? "" : strerrordesc_np(errno);
}

int record_into(std::span<char *> words)
{
    const char *path = words[0];
    const char *identity = words[1];
    const char *label = words[2];
    if (std::strlen(identity) != laxity::IDENTITY_BYTES ||
        std::strlen(label) > laxity::LABEL_BYTES_MAX) {
        return refuse(LAXITY_EXIT_USAGE, "an identity has 64 digits, a label at most 65536 bytes");
    }
    laxity_error error{};
    const laxity_sim_call_table *const table = laxity_sim_call_table_of(words[7], &error);
    if (table == nullptr) {
        return refuse(error.exit_code, error.text);
    }
    Clocks clocks;
    if (!clocks.open(*table, words[7], error)) {
        return refuse(error.exit_code, error.text);
    }
    Judge judge{*table, clocks, std::string_view{words[8]} == MAY_ASK};
    laxity_sim_storage *storage = nullptr;
    if (laxity_sim_storage_open(words[7], &storage, &error) != 0) {
        return refuse(error.exit_code, error.text);
    }
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
    std::string problem = fd >= 0 ? "" : strerrordesc_np(errno);
    if (fd >= 0) {
        laxity::StoredWriter writer{fd, identity, label, storage};
        const Limits limits{
            .bytes = std::strtoull(words[3], nullptr, DECIMAL),
            .job_ns = std::strtoll(words[4], nullptr, DECIMAL) * LAXITY_NS_PER_S,
            .words = std::strtoull(words[5], nullptr, DECIMAL),
        };
        problem = record(writer, fd, limits, words[6], judge);
        (void)close(fd);
    }
    laxity_sim_storage_close(storage);
    if (judge.has_refused()) {
        return refuse(
            judge.is_of_this_run() ? LAXITY_EXIT_NO_VERDICT : LAXITY_EXIT_VIOLATED, judge.why()
        );
    }
    return problem.empty() ? LAXITY_EXIT_DONE
                           : refuse(LAXITY_EXIT_LACKING, std::string{path} + ": " + problem);
}

int tell_of(const char *path, const laxity::Stored &stored)
{
    if (!stored.problem().empty()) {
        return refuse(LAXITY_EXIT_LACKING, std::string{path} + ": " + stored.problem());
    }
    return std::fflush(stdout) == 0 ? LAXITY_EXIT_DONE : LAXITY_EXIT_LACKING;
}

int read_all(const char *path)
{
    static Words words;
    laxity::Stored stored;
    std::size_t n = 1;
    for (bool is_open = stored.open(path); is_open && n > 0;) {
        n = stored.read(words.data(), words.size());
        if (std::fwrite(words.data(), sizeof words[0], n, stdout) != n) {
            return refuse(LAXITY_EXIT_LACKING, "standard output cannot be written");
        }
    }
    return tell_of(path, stored);
}

int check(const char *path)
{
    laxity::Stored stored;
    (void)(stored.open(path) && stored.check());
    return tell_of(path, stored);
}

void print_touched(const laxity::Touched &touched, char end)
{
    (void)std::printf(
        "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "%c",
        touched.read,
        touched.written,
        touched.lines,
        touched.pages,
        end
    );
}

int tell_lines(const char *path, const char *line_bytes, const char *program)
{
    const std::uint64_t bytes = std::strtoull(line_bytes, nullptr, DECIMAL);
    if (!std::has_single_bit(bytes) || bytes > laxity::STORAGE_PAGE_BYTES) {
        return refuse(LAXITY_EXIT_USAGE, "a line has a power of two of bytes, at most a page");
    }
    laxity_error error{};
    laxity_sim_storage *storage = nullptr;
    if (laxity_sim_storage_open(program, &storage, &error) != 0) {
        return refuse(error.exit_code, error.text);
    }
    laxity::Stored stored;
    laxity::Lines lines{};
    std::string problem;
    if (stored.open(path)) {
        problem = laxity::count_lines(stored, storage, static_cast<std::uint32_t>(bytes), lines);
    }
    laxity_sim_storage_close(storage);
    if (!problem.empty() && stored.problem().empty()) {
        return refuse(LAXITY_EXIT_LACKING, std::string{path} + ": " + problem);
    }
    (void)std::printf("%" PRIu64 "\n", lines.jobs);
    for (std::size_t is = 0; is < lines.all.size(); is++) {
        print_touched(lines.largest.at(is), ' ');
        print_touched(lines.all.at(is), '\n');
    }
    return tell_of(path, stored);
}

} // namespace

int main(int argc, char **argv)
{
    const std::span<char *> words{argv, static_cast<std::size_t>(argc)};
    const std::string_view command = argc > 1 ? words[1] : "";
    (void)signal(SIGXFSZ, SIG_IGN);
    if (argc == 2 && command == "--version") {
        (void)std::puts("laxity-sim-stream " LAXITY_VERSION);
        return LAXITY_EXIT_DONE;
    }
    if (argc == 11 && command == "record") {
        return record_into(words.subspan(2));
    }
    if (argc == 3 && command == "read") {
        return read_all(words[2]);
    }
    if (argc == 3 && command == "check") {
        return check(words[2]);
    }
    if (argc == 5 && command == "lines") {
        return tell_lines(words[2], words[3], words[4]);
    }
    return refuse(LAXITY_EXIT_USAGE, "started by laxity sim, not by hand");
}

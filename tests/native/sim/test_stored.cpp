/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Stored streams: what was written is read, to the bit, or nothing that was not written. */
#include "../test.h"
#include "harness/mark_table.h"
#include "interface/records.h"
#include "interface/stored.h"
#include "streams/file.hpp"
#include "streams/stored.hpp"
#include "streams/writer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <span>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::uint64_t word(std::uint64_t kind, std::uint64_t rest)
{
    return kind << LAXITY_RECORD_KIND_SHIFT | rest;
}

constexpr std::uint64_t EXECUTION = word(LAXITY_SIM_EXECUTION, 0);
constexpr std::uint64_t STORE = std::uint64_t{1} << LAXITY_RECORD_STORE_SHIFT;
constexpr std::uint64_t START = STORE | (LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_JOB_START);
constexpr std::uint64_t FINISH = STORE | (LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_JOB_FINISH);
/* A number that names a system call, and one that says that it returns. */
constexpr std::uint64_t CALL = word(3, 45);
constexpr std::uint64_t RETURN = word(3, std::uint64_t{1} << 32U | 45);
constexpr const char *IDENTITY = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
constexpr const char *LABEL = "a label";
constexpr const char *OUTPUT = "digest=1\n";

/* A file in memory, by its path. */
struct File {
    int fd = memfd_create("stored", 0);
    std::string path = "/proc/self/fd/" + std::to_string(fd);

    File() = default;
    File(const File &) = delete;
    File &operator=(const File &) = delete;
    ~File()
    {
        (void)close(fd);
    }

    [[nodiscard]] std::string bytes() const
    {
        std::string text(static_cast<std::size_t>(lseek(fd, 0, SEEK_END)), '\0');
        CHECK_EQUAL(pread(fd, text.data(), text.size(), 0), text.size());
        return text;
    }
    void set(const std::string &text) const
    {
        CHECK_EQUAL(ftruncate(fd, 0), 0);
        CHECK_EQUAL(pwrite(fd, text.data(), text.size(), 0), text.size());
    }
};

laxity::FileHeader store(const File &file, const Words &words, std::size_t piece = SIZE_MAX)
{
    laxity::StoredWriter writer{file.fd, IDENTITY, LABEL, nullptr};
    for (std::size_t at = 0; at < words.size(); at += std::min(piece, words.size() - at)) {
        CHECK(writer.write(std::span{words}.subspan(at, std::min(piece, words.size() - at))));
    }
    CHECK(writer.finish(OUTPUT));
    return writer.header();
}

Words rest_of(laxity::Stored &stored, std::size_t piece = 5000)
{
    Words words;
    Words some(piece);
    for (std::size_t n = stored.read(some.data(), piece); n > 0;) {
        words.insert(words.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(n));
        n = stored.read(some.data(), piece);
    }
    return words;
}

Words read_back(const File &file, std::size_t piece = 5000)
{
    laxity::Stored stored;
    CHECK(stored.open(file.path.c_str()));
    Words words = rest_of(stored, piece);
    CHECK(stored.problem().empty());
    return words;
}

/* A block of two instructions of 4 and 2 bytes: their sizes in a word, their code in another. */
Words definition(std::uint64_t id)
{
    return {word(LAXITY_SIM_BLOCK, id), 0x1000 + 8 * id, 2, 0x0204, 0x665544332211};
}

void append(Words &words, const Words &more)
{
    words.insert(words.end(), more.begin(), more.end());
}

/* Jobs that execute block 0 with the marks, and `passes` times block 1, walking through memory. */
Words program(unsigned jobs, unsigned passes)
{
    Words words = definition(0);
    for (unsigned job = 0; job < jobs; job++) {
        append(words, {EXECUTION, 0x9000, START});
        if (job == 0) {
            append(words, definition(1));
            append(words, {CALL, 1, 2, 3, 4, 5, 6, RETURN, UINT64_MAX});
        }
        for (unsigned pass = 0; pass < passes; pass++) {
            append(words, {EXECUTION | 1, 0x20000 + 64 * pass, STORE | (0x40000 + pass % 7)});
        }
        append(words, {EXECUTION, FINISH});
    }
    return words;
}

struct Random {
    std::uint64_t state;

    std::uint64_t next()
    {
        state ^= state << 13U;
        state ^= state >> 7U;
        state ^= state << 17U;
        return state;
    }
};

/* Words of any kind; small numbers among them, so that they mean something now and then. */
Words any_words(std::uint64_t seed, std::size_t n)
{
    Random random{seed};
    Words words(n);
    for (std::uint64_t &one : words) {
        const std::uint64_t shift = random.next() % 64;
        const std::uint64_t kind = random.next() << LAXITY_RECORD_KIND_SHIFT;
        one = random.next() % 8 == 0 ? random.next() : kind | (random.next() >> shift >> 2U);
    }
    return words;
}

void what_a_program_does_is_read_as_it_was_written()
{
    const Words words = program(3, 100);
    const File file;
    (void)store(file, words);
    CHECK(read_back(file) == words);
}

void any_words_are_read_as_they_were_written_in_pieces_of_any_size()
{
    for (std::uint64_t seed = 1; seed <= 200; seed++) {
        constexpr std::size_t PIECES[] = {1, 7, 1023, 1024, 1025};
        const Words words = any_words(seed, 3000);
        const std::size_t piece = PIECES[seed % std::size(PIECES)];
        const File file;
        (void)store(file, words, piece);
        CHECK(read_back(file, piece) == words);
    }
}

void more_words_than_a_part_holds_are_read_as_they_were_written()
{
    /* No execution among them, at which a part could end in good order. */
    for (const Words &words :
         {Words(laxity::PART_WORDS_MAX + 5, 0x1234),
          any_words(5, 2 * laxity::PART_WORDS_MAX),
          program(4, laxity::PART_WORDS / 6)}) {
        const File file;
        const laxity::FileHeader header = store(file, words);
        CHECK(header.parts > 1);
        CHECK(read_back(file) == words);
    }
}

void executions_with_more_accesses_than_any_program_has_are_kept()
{
    for (const std::size_t n : {1022UL, 1023UL, 1024UL, 5000UL}) {
        Words words{EXECUTION | 3};
        words.resize(1 + n, 0x77);
        append(words, {EXECUTION | 3, 0x77, word(LAXITY_SIM_EXECUTION, 1ULL << 40U), 0x77});
        const File file;
        (void)store(file, words);
        CHECK(read_back(file) == words);
    }
}

void no_words_are_a_stream_too()
{
    const File file;
    (void)store(file, {});
    CHECK(read_back(file).empty());
}

void a_walk_through_memory_takes_little_room()
{
    const File file;
    const laxity::FileHeader header = store(file, program(100, 1000));
    /* 3 words of each pass, 5 of each job, two definitions of 5, a call of 7 and its return of 2;
     * records: without the rests of these. */
    CHECK_EQUAL(header.words, 100 * (3 * 1000 + 5) + 2 * 5 + 7 + 2);
    CHECK_EQUAL(header.records, 100 * (3 * 1000 + 5) + 2 + 2);
    /* Two of each pass, and one of each job that is no mark. */
    CHECK_EQUAL(header.accesses, 100 * (2 * 1000 + 1));
    CHECK_EQUAL(header.instructions, 100 * 2 * (1000 + 2));
    CHECK_EQUAL(header.jobs, 100);
    /* A hundredth of a byte per record, with header and index; 800 bytes of it are starts of jobs.
     */
    CHECK(file.bytes().size() < header.records / 100);
}

void a_file_tells_what_it_holds()
{
    const File file;
    (void)store(file, program(3, 10));
    laxity::Stored stored;
    CHECK(stored.open(file.path.c_str()));
    CHECK(std::string(stored.header().identity, laxity::IDENTITY_BYTES) == IDENTITY);
    CHECK(stored.label() == LABEL);
    CHECK(stored.output() == OUTPUT);
    CHECK_EQUAL(stored.header().jobs, 3);
}

/* What a program of definitions 0 and 1 does from the start of a job on, and what that needs. */
Words from_job(const Words &words, std::uint64_t job)
{
    Words expected = definition(0);
    auto at = std::find(words.begin(), words.end(), START);
    for (std::uint64_t i = 0; i < job; i++) {
        at = std::find(at + 1, words.end(), START);
    }
    if (job > 0) {
        append(expected, definition(1));
    }
    /* Neither the access before the mark nor the finish of the job before. */
    expected.push_back(EXECUTION);
    append(expected, {at, words.end()});
    return expected;
}

void a_job_is_found_with_what_it_needs()
{
    const Words words = program(40, laxity::PART_WORDS / 30);
    const File file;
    CHECK(store(file, words).parts >= 2);
    laxity::Stored stored;
    CHECK(stored.open(file.path.c_str()));
    for (const std::uint64_t job : {0UL, 39UL, 1UL, 38UL}) {
        CHECK(stored.seek(job));
        CHECK(rest_of(stored) == from_job(words, job));
    }
    CHECK(!stored.seek(40));
}

void a_file_that_is_cut_anywhere_is_refused()
{
    const File file;
    (void)store(file, program(3, 20));
    const std::string whole = file.bytes();
    for (std::size_t n = 0; n < whole.size(); n++) {
        const File cut;
        cut.set(whole.substr(0, n));
        laxity::Stored stored;
        CHECK(!stored.open(cut.path.c_str()));
        CHECK(!stored.problem().empty());
    }
    file.set(whole + '\0');
    laxity::Stored stored;
    CHECK(!stored.open(file.path.c_str()));
}

/* Whether a file is refused, or what is read of it is right, and no less without a problem; and
 * whether who checks it is told beforehand. */
bool is_safe(const std::string &bytes, const Words &words)
{
    const File file;
    file.set(bytes);
    laxity::Stored stored;
    if (!stored.open(file.path.c_str())) {
        return !stored.problem().empty();
    }
    const Words got = rest_of(stored);
    const bool is_told = !stored.problem().empty();
    const bool is_whole = got.size() == words.size() || is_told;
    laxity::Stored checked;
    const bool is_found = !checked.open(file.path.c_str()) || !checked.check();
    return is_whole && is_found == is_told && checked.problem() == stored.problem() &&
           got.size() <= words.size() && std::equal(got.begin(), got.end(), words.begin());
}

void a_file_with_a_wrong_bit_is_refused_or_ends_before_a_wrong_word()
{
    const Words words = program(3, 20);
    const File file;
    (void)store(file, words);
    const std::string whole = file.bytes();
    unsigned unsafe = 0;
    for (std::size_t bit = 0; bit < 8 * whole.size(); bit++) {
        std::string wrong = whole;
        wrong[bit / 8] = static_cast<char>(wrong[bit / 8] ^ 1 << bit % 8);
        unsafe += is_safe(wrong, words) ? 0 : 1;
    }
    CHECK_EQUAL(unsafe, 0);
}

/* Of a whole stream, in place of whose bytes others stand. */
std::string problem_with(std::size_t at, const std::string &others)
{
    const File file;
    (void)store(file, program(3, 20));
    std::string bytes = file.bytes();
    bytes.replace(at, others.size(), others);
    file.set(bytes);
    laxity::Stored stored;
    CHECK(!stored.open(file.path.c_str()));
    return stored.problem();
}

std::string problem_of(const char *path)
{
    laxity::Stored stored;
    CHECK(!stored.open(path));
    return stored.problem();
}

std::string turned_magic()
{
    const std::uint64_t number = laxity::FILE_MAGIC;
    std::string magic(sizeof number, '\0');
    std::memcpy(magic.data(), &number, sizeof number);
    std::reverse(magic.begin(), magic.end());
    return magic;
}

void what_is_wrong_with_a_file_is_told()
{
    CHECK(problem_with(0, turned_magic()) == "was recorded on a machine of another byte order");
    CHECK(problem_with(0, "GIF89a") == "is no stored stream, or was not recorded to its end");
    CHECK(problem_with(offsetof(laxity::FileHeader, version), "\x09") == "is of version 9, not 2");
    CHECK(problem_with(offsetof(laxity::FileHeader, jobs), "\x09") == "its index is damaged");
    CHECK(problem_with(offsetof(laxity::FileHeader, identity), "f") == "its header is damaged");
    CHECK(problem_of("/nowhere/at/all") == "No such file or directory");
}

void a_source_gives_the_words_and_tells_its_end()
{
    const Words words = program(3, 20);
    const File file;
    (void)store(file, words);
    laxity_sim_source source{};
    laxity_error error{};
    CHECK_EQUAL(laxity_sim_stored_open(file.path.c_str(), &source, &error), 0);
    Words got(words.size() + 1);
    std::size_t n = 0;
    for (std::size_t some = 1; some > 0; n += some) {
        some = source.read(source.context, got.data() + n, got.size() - n);
    }
    got.resize(n);
    CHECK(got == words);
    CHECK(source.why(source.context) == std::string{"the program ended by itself, exit code 0"});
    laxity_sim_stored_close(&source);
    CHECK_EQUAL(laxity_sim_stored_open("/proc/self", &source, &error), -1);
    CHECK(error.text == std::string{"stream self: is no file; remove it (laxity sim streams)"});
}

/* A program that is executed, in place of an emulator. */
struct Executed {
    Words words;
    std::size_t next = 0;
    unsigned starts = 0;
};

std::size_t read_executed(void *context, std::uint64_t *words, std::size_t n)
{
    auto &executed = *static_cast<Executed *>(context);
    /* As a pipe does: not all that is asked for. */
    n = std::min({n, std::size_t{7}, executed.words.size() - executed.next});
    std::copy_n(executed.words.begin() + static_cast<std::ptrdiff_t>(executed.next), n, words);
    executed.next += n;
    return n;
}

const char *why_executed(void *context)
{
    (void)context;
    return "it was killed";
}

int start_executed(
    void *context, std::uint32_t index, laxity_sim_source *out_source, laxity_error *error
)
{
    auto *const executed = static_cast<Executed *>(context);
    if (index == UINT32_MAX) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "no emulator");
    }
    executed->starts++;
    *out_source = {.context = executed, .read = read_executed, .why = why_executed};
    return 0;
}

/* What a source gives of which the first n_stored words are in a file; told: its end. */
Words continued(
    const Words &words,
    std::size_t n_stored,
    Executed &executed,
    std::uint32_t index,
    std::string &told
)
{
    const File file;
    (void)store(file, Words(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n_stored)));
    laxity_sim_source source{};
    laxity_error error{};
    CHECK_EQUAL(laxity_sim_stored_open(file.path.c_str(), &source, &error), 0);
    laxity_sim_stored_continue(
        &source, {.context = &executed, .index = index, .start = start_executed}
    );
    Words got;
    Words some(11);
    for (std::size_t n = 1; n > 0;) {
        n = source.read(source.context, some.data(), some.size());
        got.insert(got.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(n));
    }
    told = source.why(source.context);
    laxity_sim_stored_close(&source);
    return got;
}

void a_program_is_executed_from_where_its_file_ends()
{
    const Words words = program(3, 20);
    std::string told;
    for (std::size_t n = 0; n <= words.size(); n++) {
        Executed executed{.words = words};
        CHECK(continued(words, n, executed, 0, told) == words);
        CHECK(told == "it was killed");
        CHECK_EQUAL(executed.starts, 1);
    }
}

void a_program_that_does_something_else_than_in_its_file_is_told()
{
    const Words words = program(3, 20);
    std::string told;
    for (std::size_t changed = 0; changed < 100; changed++) {
        Executed executed{.words = words};
        executed.words[changed] ^= 1;
        CHECK_EQUAL(continued(words, 100, executed, 0, told).size(), 100);
        CHECK(
            told == "it does not do again what was recorded; remove its stream (laxity sim streams)"
        );
    }
    /* One that ends before it has done all that, and one that cannot be started. */
    Executed executed{.words = Words(words.begin(), words.begin() + 99)};
    CHECK_EQUAL(continued(words, 100, executed, 0, told).size(), 100);
    CHECK(told == "it was killed");
    CHECK_EQUAL(continued(words, 100, executed, UINT32_MAX, told).size(), 100);
    CHECK(told == "no emulator");
}

} // namespace

int main()
{
    RUN(what_a_program_does_is_read_as_it_was_written);
    RUN(any_words_are_read_as_they_were_written_in_pieces_of_any_size);
    RUN(more_words_than_a_part_holds_are_read_as_they_were_written);
    RUN(executions_with_more_accesses_than_any_program_has_are_kept);
    RUN(no_words_are_a_stream_too);
    RUN(a_walk_through_memory_takes_little_room);
    RUN(a_file_tells_what_it_holds);
    RUN(a_job_is_found_with_what_it_needs);
    RUN(a_file_that_is_cut_anywhere_is_refused);
    RUN(a_file_with_a_wrong_bit_is_refused_or_ends_before_a_wrong_word);
    RUN(what_is_wrong_with_a_file_is_told);
    RUN(a_source_gives_the_words_and_tells_its_end);
    RUN(a_program_is_executed_from_where_its_file_ends);
    RUN(a_program_that_does_something_else_than_in_its_file_is_told);
    return test_exit_code();
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * One measurement each of simulation.py. Prints a count, seconds of CPU time in user mode, and the
 * most memory in KiB.
 *
 *   simulation_speed lru|plru N            accesses to caches of two levels, N times a trace in
 *                                          memory
 *   simulation_speed live SETTINGS N WORD...
 *                                          accesses of N jobs; the words start an emulator with a
 *                                          program
 *   simulation_speed lines|accesses SETTINGS US PROGRAM STREAM...
 *                                          lines from and to memory, or accesses, of cores that
 *                                          execute two jobs of a stored stream each, the second
 *                                          one again and again; "-": a core is idle. US of virtual
 *                                          time are measured, after WARM_NS that are not
 *
 * SETTINGS is a file of sim/cli/settings.h.
 */
#include "base/error.h"
#include "harness/mark_table.h"
#include "interface/decoder.h"
#include "interface/emulator.h"
#include "interface/engine.h"
#include "interface/records.h"
#include "interface/stored.h"
#include "model/cache.hpp"

extern "C" {
#include "cli/settings.h"
}

#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/resource.h>
#include <vector>

namespace {

constexpr std::uint32_t LINE_BYTES = 32;
constexpr std::uint64_t KIB = 1024;
constexpr std::uint64_t MIB = KIB * KIB;
constexpr std::uint64_t CODE = 0x10000;
constexpr std::uint64_t DATA = 0x1000000;
constexpr int DECIMAL = 10;
/* Until then four loads have filled 1 MiB, so that evictions write lines back. */
constexpr std::int64_t WARM_NS = 2'000'000;
constexpr std::int64_t NS_PER_US = 1000;

/* SplitMix64, as tests/native/sim/random.hpp has it. */
std::uint64_t next_random(std::uint64_t &state)
{
    std::uint64_t z = state += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
    return z ^ z >> 31U;
}

double user_seconds()
{
    constexpr double US_PER_S = 1e6;
    double seconds = 0;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage usage{};
        (void)getrusage(who, &usage);
        seconds += static_cast<double>(usage.ru_utime.tv_sec) +
                   static_cast<double>(usage.ru_utime.tv_usec) / US_PER_S;
    }
    return seconds;
}

void print(std::uint64_t n, double since)
{
    rusage usage{};
    (void)getrusage(RUSAGE_SELF, &usage);
    std::printf("%" PRIu64 " %.6f %ld\n", n, user_seconds() - since, usage.ru_maxrss);
}

[[noreturn]] void fail(const char *text)
{
    (void)std::fprintf(stderr, "simulation_speed: %s\n", text);
    std::_Exit(EXIT_FAILURE);
}

/*
 * Lines that a sorting program might touch: a fetch for each access of data, of code that loops in
 * 8 KiB; data through 16 KiB in order, one of 16 anywhere in 512 KiB. The lowest bit: a fetch.
 */
std::vector<std::uint64_t> trace()
{
    constexpr std::size_t LENGTH = std::size_t{1} << 21U;
    std::vector<std::uint64_t> lines;
    std::uint64_t random = 1;
    for (std::uint64_t i = 0; lines.size() < LENGTH; i++) {
        const std::uint64_t drawn = next_random(random);
        const std::uint64_t code = i / 4 * LINE_BYTES % (8 * KIB);
        const std::uint64_t data =
            drawn % 16 == 0 ? (drawn >> 4U) % (512 * KIB) : i * 4 % (16 * KIB);
        lines.push_back((CODE + code) / LINE_BYTES << 1U | 1U);
        lines.push_back((DATA + data) / LINE_BYTES << 1U);
    }
    return lines;
}

/* Nothing else is in this loop, no check of a container either: it is what is measured. Returns
 * misses, so that it is done. */
std::uint64_t look_up(
    const std::vector<std::uint64_t> &lines,
    std::vector<laxity::Cache> &first,
    laxity::Cache &second
)
{
    std::uint64_t misses = 0;
    for (const std::uint64_t line : lines) {
        laxity::Cache &cache = first.data()[line & 1U];
        if (cache.use(line >> 1U) != nullptr) {
            continue;
        }
        (void)cache.allocate(line >> 1U, 0);
        if (second.use(line >> 1U) == nullptr) {
            (void)second.allocate(line >> 1U, 0);
            misses++;
        }
    }
    return misses;
}

void measure_caches(laxity_sim_replacement replacement, std::uint64_t n_passes)
{
    const std::vector<std::uint64_t> lines = trace();
    const laxity_sim_cache small = {32 * KIB, 4, replacement};
    std::vector<laxity::Cache> first(2, laxity::Cache{small, LINE_BYTES});
    laxity::Cache second{{MIB, 16, replacement}, LINE_BYTES};
    const double since = user_seconds();
    std::uint64_t misses = 0;
    for (std::uint64_t i = 0; i < n_passes; i++) {
        misses += look_up(lines, first, second);
    }
    print(n_passes * lines.size() + (misses == UINT64_MAX ? 1 : 0), since);
}

/* Words that come again and again. */
struct Words {
    std::vector<std::uint64_t> words;
    std::size_t loop_from = 0;
    std::size_t at = 0;
};

std::size_t read_words(void *context, std::uint64_t *words, std::size_t n)
{
    auto *const from = static_cast<Words *>(context);
    if (from->at == from->words.size()) {
        from->at = from->loop_from;
    }
    n = std::min(n, from->words.size() - from->at);
    std::memcpy(words, from->words.data() + from->at, n * sizeof *words);
    from->at += n;
    return n;
}

const char *why(void *context)
{
    (void)context;
    return "its words have ended";
}

bool is_of_kind(std::uint64_t word, laxity_sim_record kind)
{
    return word >> LAXITY_RECORD_KIND_SHIFT == std::uint64_t{kind};
}

/* How many words the record at a place has, without accesses of an execution. */
std::size_t record_words(const std::vector<std::uint64_t> &words, std::size_t at)
{
    constexpr std::size_t EACH = sizeof(std::uint64_t);
    constexpr std::size_t HEADER = 3;
    if (is_of_kind(words[at], LAXITY_SIM_CALL)) {
        return (words[at] & LAXITY_RECORD_RETURN) != 0 ? 2 : 1 + LAXITY_RECORD_ARGUMENTS;
    }
    if (!is_of_kind(words[at], LAXITY_SIM_BLOCK)) {
        return 1;
    }
    const std::size_t n = words[at + 2];
    std::vector<std::uint8_t> sizes(n);
    std::memcpy(sizes.data(), &words[at + HEADER], n);
    std::size_t code_bytes = 0;
    for (const std::uint8_t size : sizes) {
        code_bytes += size;
    }
    return HEADER + (n + EACH - 1) / EACH + (code_bytes + EACH - 1) / EACH;
}

/* Words of a stored stream up to the end of its second job, and after them those of the second job
 * without the blocks that it defines. */
Words read_jobs(const char *path)
{
    constexpr std::size_t AT_ONCE = 1U << 16U;
    constexpr std::uint64_t ADDRESS_AND_KIND =
        LAXITY_RECORD_ADDRESS_MASK | std::uint64_t{3} << LAXITY_RECORD_KIND_SHIFT;
    laxity_error error{};
    laxity_sim_source source{};
    if (laxity_sim_stored_open(path, &source, &error) != 0) {
        fail(error.text);
    }
    Words all;
    std::vector<std::uint64_t> part(AT_ONCE);
    for (std::size_t n = 0; (n = source.read(source.context, part.data(), AT_ONCE)) > 0;) {
        all.words.insert(
            all.words.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(n)
        );
    }
    laxity_sim_stored_close(&source);
    std::vector<std::uint64_t> again;
    std::size_t at = 0;
    for (unsigned n_finished = 0; n_finished < 2;) {
        if (at == all.words.size()) {
            fail("a stream has fewer than two jobs");
        }
        const bool is_finish =
            (all.words[at] & ADDRESS_AND_KIND) == LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_JOB_FINISH;
        const std::size_t n = record_words(all.words, at);
        if (n_finished == 1 && !is_of_kind(all.words[at], LAXITY_SIM_BLOCK)) {
            const auto from = all.words.begin() + static_cast<std::ptrdiff_t>(at);
            again.insert(again.end(), from, from + static_cast<std::ptrdiff_t>(n));
        }
        n_finished += is_finish ? 1 : 0;
        at += n;
    }
    all.words.resize(at);
    all.loop_from = at;
    all.words.insert(all.words.end(), again.begin(), again.end());
    return all;
}

int go_on(void *context, const laxity_sim_job *job)
{
    (void)context;
    (void)job;
    return 0;
}

int end(
    void *context,
    std::uint32_t task,
    laxity_sim_end how,
    std::int64_t end_ns,
    const laxity_error *error
)
{
    (void)context;
    (void)task;
    (void)end_ns;
    if (how != LAXITY_SIM_END_JOBS) {
        fail(error->text);
    }
    return 0;
}

bool never(void *context)
{
    (void)context;
    return false;
}

laxity_sim_platform read_platform(const char *settings)
{
    laxity_sim_platform platform{};
    laxity_error error{};
    if (laxity_sim_settings_read(settings, &platform, &error) != 0) {
        fail(error.text);
    }
    return platform;
}

laxity_sim_task task_of(std::uint32_t core, const laxity_sim_source &source)
{
    laxity_sim_task task{};
    task.source = source;
    task.program = core;
    task.cores = std::uint64_t{1} << core;
    task.timeout_ns = INT64_MAX / 4;
    task.releases.period_ns = 1;
    return task;
}

laxity_sim_listener a_listener()
{
    laxity_sim_listener listener{};
    listener.on_start = go_on;
    listener.on_finish = go_on;
    listener.on_end = end;
    listener.must_stop = never;
    return listener;
}

std::uint64_t accesses(const laxity_sim_counts *cores, std::uint32_t n_cores)
{
    std::uint64_t n = 0;
    for (std::uint32_t core = 0; core < n_cores; core++) {
        n += cores[core].fetches + cores[core].loads + cores[core].stores;
    }
    return n;
}

std::uint64_t transfers(const laxity_sim_counts *cores, std::uint32_t n_cores)
{
    std::uint64_t n = 0;
    for (std::uint32_t core = 0; core < n_cores; core++) {
        n += cores[core].reads + cores[core].writes;
    }
    return n;
}

/* A span of virtual time: what was counted before it. */
struct Span {
    std::uint64_t (*count)(const laxity_sim_counts *cores, std::uint32_t n_cores);
    std::uint32_t n_cores;
    bool is_empty;
    bool has_begun = false;
    std::uint64_t before = 0;
    double since = 0;
};

/* At its end nothing else matters. */
void take_sample(void *context, const laxity_sim_sample *sample)
{
    auto *const span = static_cast<Span *>(context);
    const std::uint64_t n = span->count(sample->cores, span->n_cores);
    if (span->has_begun || span->is_empty) {
        print(n - span->before, span->since);
        (void)std::fflush(stdout);
        std::_Exit(EXIT_SUCCESS);
    }
    span->has_begun = true;
    span->before = n;
    span->since = user_seconds();
}

void measure_loads(Span span, const char *settings, std::int64_t us, char *const *words)
{
    const laxity_sim_platform platform = read_platform(settings);
    laxity_sim_instructions instructions{};
    laxity_error error{};
    if (laxity_sim_settings_read_instructions(settings, &instructions, &error) != 0) {
        fail(error.text);
    }
    std::vector<Words> programs(platform.cores);
    std::vector<laxity_sim_task> tasks;
    for (std::uint32_t core = 0; core < platform.cores && words[1 + core] != nullptr; core++) {
        if (std::string_view{words[1 + core]} == "-") {
            continue;
        }
        programs[core] = read_jobs(words[1 + core]);
        tasks.push_back(task_of(core, {&programs[core], read_words, why}));
        const laxity_sim_decoder_options options = {
            .architecture = instructions.architecture,
            .scheduling = instructions.scheduling,
            .program = words[0],
            .cycle_ticks = instructions.cycle_ticks,
        };
        if (laxity_sim_decoder_open(&options, &tasks.back().decoder, &error) != 0) {
            fail(error.text);
        }
    }
    span.n_cores = platform.cores;
    span.is_empty = us == 0;
    laxity_sim_listener listener = a_listener();
    listener.context = &span;
    listener.on_sample = take_sample;
    listener.first_sample_ns = WARM_NS;
    listener.sample_ns = std::max(us * NS_PER_US, std::int64_t{1});
    laxity_sim_totals totals{};
    laxity_simulate(
        &platform,
        tasks.data(),
        static_cast<std::uint32_t>(tasks.size()),
        INT64_MAX,
        &listener,
        &totals
    );
    fail("the tasks have ended");
}

void measure_live(const char *settings, std::uint64_t n_jobs, char *const *words)
{
    const laxity_sim_platform platform = read_platform(settings);
    laxity_sim_emulator *emulator = nullptr;
    const double since = user_seconds();
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (laxity_sim_emulator_start(
            words, nowhere, {nullptr, nullptr, LAXITY_SIM_LOOKS_AT_END}, &emulator
        ) != 0) {
        fail("cannot start the emulator");
    }
    laxity_sim_task task = task_of(0, laxity_sim_emulator_source(emulator));
    task.jobs = n_jobs;
    const laxity_sim_listener listener = a_listener();
    laxity_sim_totals totals{};
    laxity_simulate(&platform, &task, 1, INT64_MAX, &listener, &totals);
    laxity_sim_emulator_stop(emulator);
    print(accesses(totals.cores, 1), since);
}

} // namespace

int main(int argc, char **argv)
{
    const std::string_view what = argc < 3 ? "" : argv[1];
    const auto number = [argc, argv](int at) {
        return argc > at ? std::strtoull(argv[at], nullptr, DECIMAL) : 0;
    };
    if (what == "lru" || what == "plru") {
        measure_caches(what == "lru" ? LAXITY_SIM_LRU : LAXITY_SIM_PLRU, number(2));
    } else if (what == "live" && argc > 4) {
        measure_live(argv[2], number(3), argv + 4);
    } else if ((what == "lines" || what == "accesses") && argc > 5) {
        const Span span = {
            .count = what == "lines" ? transfers : accesses, .n_cores = 0, .is_empty = false
        };
        measure_loads(span, argv[2], static_cast<std::int64_t>(number(3)), argv + 4);
    } else {
        fail("takes lru|plru N, live SETTINGS N WORD... or "
             "lines|accesses SETTINGS US PROGRAM STREAM...");
    }
    return EXIT_SUCCESS;
}

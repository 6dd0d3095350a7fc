/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What simulation.py measures, one thing each; prints how many there were of it, seconds of CPU
 * time that this took in user mode, and the most memory in KiB.
 *
 *   simulation_speed lru|plru N        accesses to caches of two levels, N times a trace in memory
 *   simulation_speed hits N            accesses of four cores in the engine, N jobs of each
 *   simulation_speed streams N         lines from and to memory, likewise
 *   simulation_speed live N WORD...    accesses of N jobs; the words start an emulator with a
 * program
 */
#include "base/error.h"
#include "harness/mark_table.h"
#include "interface/emulator.h"
#include "interface/engine.h"
#include "interface/records.h"
#include "model/cache.hpp"

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
constexpr std::uint32_t CORES = 4;
constexpr std::uint64_t KIB = 1024;
constexpr std::uint64_t MIB = KIB * KIB;
constexpr std::uint64_t CODE = 0x10000;
constexpr std::uint64_t DATA = 0x1000000;
constexpr int DECIMAL = 10;

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
    std::printf("%" PRIu64 " %.3f %ld\n", n, user_seconds() - since, usage.ru_maxrss);
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

std::uint64_t access(std::uint64_t index, std::uint64_t address, bool is_store)
{
    constexpr std::uint64_t EIGHT_BYTES = 3;
    return address | EIGHT_BYTES << LAXITY_RECORD_SIZE_SHIFT |
           std::uint64_t{is_store} << LAXITY_RECORD_STORE_SHIFT |
           index << LAXITY_RECORD_INDEX_SHIFT;
}

std::uint64_t mark(std::uint64_t slot)
{
    return (LAXITY_SIM_MARKS_ADDRESS + slot) | std::uint64_t{1} << LAXITY_RECORD_STORE_SHIFT;
}

/*
 * A job of 100,000 executions of 64 blocks, each of six instructions, two of which access data: a
 * load and a store through so many bytes.
 */
Words program(std::uint64_t data_bytes, std::uint64_t stride)
{
    constexpr std::uint64_t BLOCKS = 64;
    constexpr std::uint64_t EXECUTIONS = 100000;
    constexpr std::uint64_t BLOCK_BYTES = 24;
    Words made;
    for (std::uint64_t i = 0; i < BLOCKS; i++) {
        made.words.insert(
            made.words.end(),
            {std::uint64_t{LAXITY_SIM_BLOCK} << LAXITY_RECORD_KIND_SHIFT | i,
             CODE + i * BLOCK_BYTES,
             6,
             0x040404040404,
             0,
             0,
             0}
        );
    }
    made.loop_from = made.words.size();
    for (std::uint64_t i = 0; i < EXECUTIONS; i++) {
        made.words.push_back(
            std::uint64_t{LAXITY_SIM_EXECUTION} << LAXITY_RECORD_KIND_SHIFT | i % BLOCKS
        );
        if (i == 0) {
            made.words.push_back(mark(LAXITY_MARK_JOB_START));
        }
        const std::uint64_t offset = i * stride % data_bytes;
        made.words.push_back(access(2, DATA + offset, false));
        made.words.push_back(access(4, DATA + data_bytes + offset, true));
    }
    made.words.push_back(
        mark(LAXITY_MARK_JOB_FINISH) | std::uint64_t{5} << LAXITY_RECORD_INDEX_SHIFT
    );
    return made;
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
        (void)std::fprintf(stderr, "simulation_speed: %s\n", error->text);
        std::_Exit(EXIT_FAILURE);
    }
    return 0;
}

bool never(void *context)
{
    (void)context;
    return false;
}

/* As the sabrelite's, with lines replaced least recently used first. */
laxity_sim_platform sabrelite()
{
    laxity_sim_platform platform{};
    platform.ticks_per_s[0] = 1'200'000'000;
    platform.ticks_per_s[1] = 1;
    platform.cores = CORES;
    platform.line_bytes = LINE_BYTES;
    platform.instruction_ticks = 1;
    platform.fill_buffers = 4;
    platform.store_entries = 4;
    platform.switch_ticks = 2400;
    platform.transfer_ticks = 60;
    platform.upgrade_ticks = 40;
    platform.l1i = {32 * KIB, 4, LAXITY_SIM_LRU};
    platform.l1d = {32 * KIB, 4, LAXITY_SIM_LRU};
    platform.n_levels = 1;
    platform.levels[0].cache = {MIB, 16, LAXITY_SIM_LRU};
    platform.levels[0].cores = CORES;
    platform.levels[0].hit_ticks = 19;
    platform.memory = {
        .channels = 1,
        .read_queue = 16,
        .write_queue = 8,
        .reorder = 8,
        .banks = 8,
        .row_lines = 64,
        .request_ticks = 30,
        .response_ticks = 30,
        .hit_ticks = 20,
        .empty_ticks = 40,
        .conflict_ticks = 60,
        .line_ticks = 8,
        .word_ticks = 0,
        .turnaround_ticks = 8,
        .refresh_ticks = 150,
        .refresh_interval = 9360,
    };
    return platform;
}

laxity_sim_totals simulate(const std::vector<laxity_sim_source> &sources, std::uint64_t n_jobs)
{
    const laxity_sim_platform platform = sabrelite();
    std::vector<laxity_sim_task> tasks(sources.size());
    for (std::size_t i = 0; i < tasks.size(); i++) {
        tasks[i].source = sources[i];
        tasks[i].cores = std::uint64_t{1} << i;
        tasks[i].jobs = n_jobs;
        tasks[i].timeout_ns = INT64_MAX / 4;
        tasks[i].releases.period_ns = 1;
    }
    const laxity_sim_listener listener = {
        .context = nullptr,
        .on_start = go_on,
        .on_finish = go_on,
        .on_end = end,
        .on_pass = nullptr,
        .on_turn = nullptr,
        .on_mark = nullptr,
        .must_stop = never,
        .on_wait = nullptr,
        .on_sample = nullptr,
        .interrupts = false,
        .sample_ns = 0,
        .first_sample_ns = 0,
        .observer = nullptr,
    };
    laxity_sim_totals totals{};
    laxity_simulate(
        &platform,
        tasks.data(),
        static_cast<std::uint32_t>(tasks.size()),
        INT64_MAX,
        &listener,
        &totals
    );
    return totals;
}

std::uint64_t accesses(const laxity_sim_totals &totals)
{
    std::uint64_t n = 0;
    for (const laxity_sim_counts &of_core : totals.cores) {
        n += of_core.fetches + of_core.loads + of_core.stores;
    }
    return n;
}

std::uint64_t transfers(const laxity_sim_totals &totals)
{
    std::uint64_t n = 0;
    for (const laxity_sim_counts &of_core : totals.cores) {
        n += of_core.reads + of_core.writes;
    }
    return n;
}

void measure_engine(bool is_streaming, std::uint64_t n_jobs)
{
    std::vector<Words> programs(
        CORES, is_streaming ? program(32 * MIB, LINE_BYTES) : program(8 * KIB, 8)
    );
    std::vector<laxity_sim_source> sources;
    sources.reserve(programs.size());
    for (Words &one : programs) {
        sources.push_back({.context = &one, .read = read_words, .why = why});
    }
    const double since = user_seconds();
    const laxity_sim_totals totals = simulate(sources, n_jobs);
    print(is_streaming ? transfers(totals) : accesses(totals), since);
}

void measure_live(std::uint64_t n_jobs, char *const *words)
{
    laxity_sim_emulator *emulator = nullptr;
    const double since = user_seconds();
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (laxity_sim_emulator_start(
            words, nowhere, {nullptr, nullptr, LAXITY_SIM_LOOKS_AT_END}, &emulator
        ) != 0) {
        (void)std::fprintf(stderr, "simulation_speed: cannot start %s\n", words[0]);
        std::_Exit(EXIT_FAILURE);
    }
    const laxity_sim_totals totals = simulate({laxity_sim_emulator_source(emulator)}, n_jobs);
    laxity_sim_emulator_stop(emulator);
    print(accesses(totals), since);
}

} // namespace

int main(int argc, char **argv)
{
    const std::string_view what = argc < 3 ? "" : argv[1];
    const std::uint64_t n = argc < 3 ? 0 : std::strtoull(argv[2], nullptr, DECIMAL);
    if (what == "lru" || what == "plru") {
        measure_caches(what == "lru" ? LAXITY_SIM_LRU : LAXITY_SIM_PLRU, n);
    } else if (what == "hits" || what == "streams") {
        measure_engine(what == "streams", n);
    } else if (what == "live" && argc > 3) {
        measure_live(n, argv + 3);
    } else {
        (void
        )std::fputs("simulation_speed: takes lru|plru|hits|streams N or live N WORD...\n", stderr);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

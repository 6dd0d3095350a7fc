/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * A second front end, for tests alone: what valgrind's lackey (--trace-mem=yes) has written of a
 * program, from stdin, through the caches of the model as cachegrind looks things up, and through
 * the engine.
 *
 *   lackey I1,D1,LL [...]    each SIZE:WAYS:LINE, as in 32768:4:32,32768:4:32,1048576:16:32
 *
 * For each three a line with cachegrind's nine counts: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw. An
 * access that straddles lines is one reference and at most one miss, a modification is a read, and
 * the last level is looked up for the whole access where a part of it has missed.
 *
 * Then, of the first three, the counts of lines of fetches, loads and stores as looked up, and
 * missed, in the caches above; and once more as the engine counts them. The engine's caches below
 * the first have nothing to compare: it writes back, and cachegrind does not.
 */
#include "base/error.h"
#include "harness/mark_table.h"
#include "interface/engine.h"
#include "interface/records.h"
#include "model/cache.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace {

constexpr std::size_t TEXT_BYTES = std::size_t{1} << 20U;
/* Of data for the engine: so that no store of the program is one of its marks. No set changes. */
constexpr std::uint64_t NO_MARK = std::uint64_t{1} << 47U;
constexpr int HEXADECIMAL = 16;
constexpr int DECIMAL = 10;

struct Lines {
    std::uint64_t lookups = 0;
    std::uint64_t misses = 0;
};

/* A cache, whose lines are its own. */
class Level {
  public:
    explicit Level(const char *shape)
    {
        char *end = nullptr;
        bytes_ = std::strtoull(shape, &end, DECIMAL);
        ways_ = static_cast<std::uint32_t>(std::strtoul(end + 1, &end, DECIMAL));
        line_bytes_ = static_cast<std::uint32_t>(std::strtoul(end + 1, &end, DECIMAL));
        line_shift_ = static_cast<unsigned>(std::countr_zero(line_bytes_));
        cache_ = laxity::Cache{described(), line_bytes_};
    }

    [[nodiscard]] laxity_sim_cache described() const
    {
        return {.size_bytes = bytes_, .ways = ways_, .replacement = LAXITY_SIM_LRU};
    }
    [[nodiscard]] std::uint32_t line_bytes() const
    {
        return line_bytes_;
    }

    /* Whether an access misses any of its lines. */
    bool is_miss(std::uint64_t address, std::uint64_t n_bytes, Lines &lines)
    {
        bool is_one = false;
        const std::uint64_t last = (address + n_bytes - 1) >> line_shift_;
        for (std::uint64_t line = address >> line_shift_; line <= last; line++) {
            lines.lookups++;
            if (cache_.use(line) == nullptr) {
                (void)cache_.allocate(line, 0);
                lines.misses++;
                is_one = true;
            }
        }
        return is_one;
    }

  private:
    std::uint64_t bytes_ = 0;
    std::uint32_t ways_ = 0;
    std::uint32_t line_bytes_ = 0;
    unsigned line_shift_ = 0;
    laxity::Cache cache_{{}, 1};
};

struct References {
    std::uint64_t all = 0;
    std::uint64_t first_misses = 0;
    std::uint64_t last_misses = 0;
    Lines lines;
};

enum class Kind : std::uint8_t {
    Fetch,
    Load,
    Store,
};

struct Reference {
    Kind kind = Kind::Fetch;
    std::uint64_t address = 0;
    std::uint64_t n_bytes = 0;
};

/* Cachegrind's three caches. */
class Caches {
  public:
    explicit Caches(const char *shapes)
        : fetched(shapes), data(std::strchr(shapes, ',') + 1), last(std::strrchr(shapes, ',') + 1)
    {
    }

    void refer(const Reference &reference)
    {
        References &counted = of(reference.kind);
        Level &first = reference.kind == Kind::Fetch ? fetched : data;
        counted.all++;
        if (first.is_miss(reference.address, reference.n_bytes, counted.lines)) {
            counted.first_misses++;
            Lines unused;
            counted.last_misses +=
                last.is_miss(reference.address, reference.n_bytes, unused) ? 1 : 0;
        }
    }
    References &of(Kind kind)
    {
        return counts_[static_cast<std::size_t>(kind)];
    }
    void print()
    {
        for (const Kind kind : {Kind::Fetch, Kind::Load, Kind::Store}) {
            const References &counted = of(kind);
            std::printf(
                "%" PRIu64 " %" PRIu64 " %" PRIu64 "%c",
                counted.all,
                counted.first_misses,
                counted.last_misses,
                kind == Kind::Store ? '\n' : ' '
            );
        }
    }

    Level fetched;
    Level data;
    Level last;

  private:
    std::array<References, 3> counts_;
};

/* The next reference in the text; false: there is none. Other lines are passed over. */
bool read_reference(Reference &reference)
{
    std::array<char, 256> line{};
    while (std::fgets(line.data(), line.size(), stdin) != nullptr) {
        const char kind = line[0] == ' ' ? line[1] : line[0];
        const bool is_fetch = kind == 'I' && line[0] == 'I' && line[1] == ' ';
        const bool is_access = line[0] == ' ' && (kind == 'L' || kind == 'S' || kind == 'M');
        if (!is_fetch && !is_access) {
            continue;
        }
        char *end = nullptr;
        reference.kind = is_fetch ? Kind::Fetch : kind == 'S' ? Kind::Store : Kind::Load;
        reference.address = std::strtoull(line.data() + 3, &end, HEXADECIMAL);
        reference.n_bytes = std::strtoull(end + 1, nullptr, DECIMAL);
        return true;
    }
    return false;
}

/*
 * The references as the words of a program, in one job: an instruction is a block of its own, so
 * that each is fetched, and an access is one of a byte in each line that it touches.
 */
class Program {
  public:
    explicit Program(std::vector<Caches> &caches)
        : caches_(caches), line_bytes_(caches.front().data.line_bytes())
    {
        execute(0, 1);
        mark(LAXITY_MARK_JOB_START);
    }

    static std::size_t read(void *context, std::uint64_t *words, std::size_t n)
    {
        auto *const program = static_cast<Program *>(context);
        while (program->words_.size() < n && program->add()) {
        }
        n = std::min(n, program->words_.size());
        std::copy_n(program->words_.begin(), n, words);
        program->words_.erase(
            program->words_.begin(), program->words_.begin() + static_cast<std::ptrdiff_t>(n)
        );
        return n;
    }

  private:
    bool add()
    {
        Reference reference;
        if (has_ended_) {
            return false;
        }
        if (!read_reference(reference)) {
            has_ended_ = true;
            execute(0, 1);
            mark(LAXITY_MARK_JOB_FINISH);
            return true;
        }
        for (Caches &caches : caches_) {
            caches.refer(reference);
        }
        if (reference.kind == Kind::Fetch) {
            execute(reference.address, reference.n_bytes);
            return true;
        }
        const std::uint64_t store = reference.kind == Kind::Store ? 1 : 0;
        const std::uint64_t end = reference.address + reference.n_bytes;
        for (std::uint64_t byte = reference.address; byte < end;
             byte = (byte | (line_bytes_ - 1)) + 1) {
            words_.push_back(byte | NO_MARK | store << LAXITY_RECORD_STORE_SHIFT);
        }
        return true;
    }

    void execute(std::uint64_t address, std::uint64_t n_bytes)
    {
        const std::uint64_t key = address << 8U | n_bytes;
        const auto [block, is_new] = blocks_.try_emplace(key, blocks_.size());
        if (is_new) {
            words_.push_back(
                std::uint64_t{LAXITY_SIM_BLOCK} << LAXITY_RECORD_KIND_SHIFT | block->second
            );
            words_.insert(words_.end(), {address, 1, n_bytes});
            words_.insert(words_.end(), (n_bytes + 7) / 8, 0); /* its code */
        }
        words_.push_back(
            std::uint64_t{LAXITY_SIM_EXECUTION} << LAXITY_RECORD_KIND_SHIFT | block->second
        );
    }

    void mark(std::uint64_t slot)
    {
        words_.push_back(
            (LAXITY_SIM_MARKS_ADDRESS + slot) | std::uint64_t{1} << LAXITY_RECORD_STORE_SHIFT
        );
    }

    std::vector<Caches> &caches_;
    std::uint64_t line_bytes_;
    std::unordered_map<std::uint64_t, std::uint64_t> blocks_;
    std::vector<std::uint64_t> words_;
    bool has_ended_ = false;
};

int go_on(void *context, const laxity_sim_job *job)
{
    (void)context;
    (void)job;
    return 0;
}

int end(
    void *context,
    std::uint32_t task,
    laxity_sim_end why,
    std::int64_t end_ns,
    const laxity_error *error
)
{
    (void)task;
    (void)end_ns;
    (void)error;
    *static_cast<laxity_sim_end *>(context) = why;
    return 0;
}

bool never(void *context)
{
    (void)context;
    return false;
}

const char *why(void *context)
{
    (void)context;
    return "the text has ended";
}

/* One core that waits for everything. */
laxity_sim_platform platform_of(const Caches &caches)
{
    laxity_sim_platform platform{};
    platform.ticks_per_s[0] = UINT64_C(1'000'000'000);
    platform.ticks_per_s[1] = 1;
    platform.cores = 1;
    platform.line_bytes = caches.data.line_bytes();
    platform.instruction_ticks = 1;
    platform.upgrade_ticks = 1;
    platform.l1i = caches.fetched.described();
    platform.l1d = caches.data.described();
    platform.n_levels = 1;
    platform.levels[0].cache = caches.last.described();
    platform.levels[0].cores = 1;
    platform.levels[0].hit_ticks = 10;
    platform.memory.channels = 1;
    platform.memory.read_queue = 16;
    platform.memory.write_queue = 16;
    platform.memory.reorder = 8;
    platform.memory.banks = 8;
    platform.memory.row_lines = 64;
    platform.memory.request_ticks = 10;
    platform.memory.hit_ticks = 20;
    platform.memory.empty_ticks = 30;
    platform.memory.conflict_ticks = 40;
    platform.memory.line_ticks = 4;
    return platform;
}

} // namespace

int main(int argc, char **argv)
{
    std::vector<Caches> caches;
    for (int i = 1; i < argc; i++) {
        caches.emplace_back(argv[i]);
    }
    if (caches.empty()) {
        (void)std::fputs("lackey: takes shapes of caches\n", stderr);
        return EXIT_FAILURE;
    }
    (void)std::setvbuf(stdin, nullptr, _IOFBF, TEXT_BYTES);
    const laxity_sim_platform platform = platform_of(caches.front());
    Program program{caches};
    laxity_sim_task task{};
    task.source = {.context = &program, .read = Program::read, .why = why};
    task.cores = 1;
    task.jobs = 1;
    task.timeout_ns = INT64_MAX / 4;
    task.releases.period_ns = 1;
    laxity_sim_end ended = LAXITY_SIM_END_FAILED;
    const laxity_sim_listener listener = {
        .context = &ended,
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
    laxity_simulate(&platform, &task, 1, INT64_MAX, &listener, &totals);
    const laxity_sim_counts &counts = totals.cores[0];
    for (Caches &three : caches) {
        three.print();
    }
    for (const Kind kind : {Kind::Fetch, Kind::Load, Kind::Store}) {
        const Lines &lines = caches.front().of(kind).lines;
        std::printf("%" PRIu64 " %" PRIu64 " ", lines.lookups, lines.misses);
    }
    std::printf(
        "\n%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
        counts.fetches,
        counts.fetch_misses,
        counts.loads,
        counts.load_misses,
        counts.stores,
        counts.store_misses
    );
    return ended == LAXITY_SIM_END_JOBS ? EXIT_SUCCESS : EXIT_FAILURE;
}

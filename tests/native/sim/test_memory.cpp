/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A channel of the memory against docs/simulation-model.md, section 4, calculated by hand. */
#include "../test.h"
#include "interface/engine.h"
#include "model/links.hpp"
#include "model/memory.hpp"
#include "model/regions.hpp"
#include "random.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace {

/*
 * Two banks: row r is in bank r mod 2. Lines 0 to 3 are row 0 of bank 0, 4 to 7 row 1 of bank 1, 8
 * to 11 row 2 of bank 0.
 */
laxity_sim_memory plain()
{
    laxity_sim_memory memory{};
    memory.channels = 1;
    memory.read_queue = 8;
    memory.write_queue = 8;
    memory.reorder = 4;
    memory.banks = 2;
    memory.row_lines = 4;
    memory.request_ticks = 1;
    memory.response_ticks = 2;
    memory.hit_ticks = 5;
    memory.empty_ticks = 10;
    memory.conflict_ticks = 15;
    memory.line_ticks = 4;
    return memory;
}

constexpr laxity::Room READS{.is_of_reads = true};
constexpr laxity::Room EITHER{.is_of_writes = true, .is_of_reads = true};

/* Links of one domain: nothing takes one. */
laxity::Links no_links(std::uint32_t cores)
{
    laxity_sim_platform platform{};
    platform.cores = cores;
    return laxity::Links{platform};
}

/* Memory of one channel, and its reads in the order of sending. */
class Bench {
  public:
    explicit Bench(const laxity_sim_memory &memory, std::uint32_t cores = 2)
        : memory_(std::vector{laxity::Instance{&memory, 0, laxity::Instance::NOBODY}}, cores),
          links_(no_links(cores))
    {
    }

    void read(std::uint64_t line, std::uint64_t arrival = 0, std::uint32_t core = 0)
    {
        /* At 0, so none is forgotten. */
        reads.push_back(memory_.read(0, {.at = line, .arrival = arrival, .core = core}, 0));
    }
    laxity::Read &read_of(std::size_t i)
    {
        return *memory_.reads().find(reads[i]);
    }
    void write(std::uint64_t line, std::uint64_t arrival = 0, std::uint32_t core = 0)
    {
        memory_.write(0, {.at = line, .arrival = arrival, .core = core});
    }
    laxity::Channel &channel()
    {
        return memory_.channels().front();
    }
    /* The kind of what was chosen, in a letter. */
    char decide()
    {
        const laxity::Decision served = channel().decide(memory_.reads(), links_);
        const bool is_read = served.read != laxity::NO_READ;
        (is_read ? counts.reads : counts.writes)++;
        counts.row_hits += served.is_row_hit ? 1 : 0;
        return is_read ? 'R' : 'W';
    }
    std::string decide_all()
    {
        std::string kinds;
        while (channel().next() != laxity::NEVER && kinds.size() < ENOUGH) {
            kinds += decide();
        }
        return kinds;
    }

  private:
    static constexpr std::size_t ENOUGH = 1000;

    laxity::Memory memory_;
    laxity::Links links_;

  public:
    std::vector<std::uint64_t> reads;
    laxity_sim_counts counts{};
};

/* The first: 0 + 10 (no row is open) + 4 (its transfer) + 2 (the way back). */
void read_of_a_closed_row_opens_it(void)
{
    Bench bench{plain()};
    bench.read(0);
    CHECK_EQUAL(bench.channel().next(), 0);
    bench.decide();
    CHECK_EQUAL(bench.read_of(0).done, 16);
    CHECK_EQUAL(bench.counts.row_hits, 0);
    CHECK(bench.channel().next() == laxity::NEVER);
}

/* The bus is free at 14: decided at 14 - 5, its data follow at once: 14 + 4 + 2. */
void read_of_the_open_row_hits(void)
{
    Bench bench{plain()};
    bench.read(0);
    bench.read(3);
    bench.decide();
    CHECK_EQUAL(bench.channel().next(), 9);
    bench.decide();
    CHECK_EQUAL(bench.read_of(1).done, 20);
    CHECK_EQUAL(bench.counts.row_hits, 1);
}

/* 14 + 15 + 4 + 2. */
void read_of_another_row_closes_the_open_one(void)
{
    Bench bench{plain()};
    bench.read(0);
    bench.read(8);
    bench.decide_all();
    CHECK_EQUAL(bench.read_of(1).done, 35);
    CHECK_EQUAL(bench.counts.row_hits, 0);
}

/* The other bank is ready: 9 + 10 + 4 + 2. With a row that opens in 5 only the bus is waited for,
 * until 14: 14 + 4 + 2. */
void another_bank_opens_its_row_while_the_bus_is_in_use(void)
{
    Bench bench{plain()};
    bench.read(0);
    bench.read(4);
    bench.decide_all();
    CHECK_EQUAL(bench.read_of(1).done, 25);

    laxity_sim_memory memory = plain();
    memory.empty_ticks = 5;
    Bench fast{memory}; /* 0 + 5 + 4 = 9, then 9 - 5 = 4: 4 + 5 = 9 */
    fast.read(0);
    fast.read(4);
    fast.decide_all();
    CHECK_EQUAL(fast.read_of(1).done, 9 + 4 + 2);
}

void request_that_has_not_arrived_is_not_decided(void)
{
    Bench bench{plain()};
    bench.read(0, 100);
    CHECK_EQUAL(bench.channel().next(), 100);
    bench.decide();
    CHECK_EQUAL(bench.read_of(0).done, 116);
}

/* Bus free at 14, plus 30 between kinds: 44 + 4. The read back: 48 + 30 + 4 + 2. The next read
 * turns nothing round: 82 + 4 + 2. */
void bus_turns_round_between_kinds(void)
{
    laxity_sim_memory memory = plain();
    memory.turnaround_ticks = 30;
    Bench bench{memory};
    bench.read(0);
    bench.decide();
    CHECK_EQUAL(bench.read_of(0).done, 16); /* the first: none */
    bench.write(1);
    bench.decide();
    bench.read(2);
    CHECK_EQUAL(bench.channel().next(), 48 - 5);
    bench.decide();
    CHECK_EQUAL(bench.read_of(1).done, 84);
    bench.read(3);
    bench.decide();
    CHECK_EQUAL(bench.read_of(2).done, 88);
}

/* When the second read, of the row that the first has opened, is done. */
std::uint64_t done_after_refresh(std::uint64_t arrival, std::uint32_t refresh_ticks)
{
    laxity_sim_memory memory = plain();
    memory.refresh_interval = 20;
    memory.refresh_ticks = refresh_ticks;
    Bench bench{memory};
    bench.read(0);
    bench.read(1, arrival);
    bench.decide_all();
    return bench.read_of(1).done;
}

void refresh_closes_all_rows_and_takes_the_bus(void)
{
    CHECK_EQUAL(done_after_refresh(19, 7), 19 + 5 + 4 + 2);  /* one tick before it */
    CHECK_EQUAL(done_after_refresh(20, 7), 20 + 10 + 4 + 2); /* bus free at 27 < 30 */
    CHECK_EQUAL(done_after_refresh(20, 13), 33 + 4 + 2);     /* bus free at 33 > 30 */
    CHECK_EQUAL(done_after_refresh(45, 13), 55 + 4 + 2);     /* at 20 and 40, until 53 */
}

std::string order_of(int n_writes, int n_reads)
{
    laxity_sim_memory memory = plain();
    memory.reorder = 1;
    Bench bench{memory};
    for (int i = 0; i < n_reads; i++) {
        bench.read(0);
    }
    for (int i = 0; i < n_writes; i++) {
        bench.write(0);
    }
    return bench.decide_all();
}

void reads_and_writes_take_turns(void)
{
    CHECK_TEXT(order_of(3, 3).c_str(), "WRWRWR");
    CHECK_TEXT(order_of(1, 3).c_str(), "WRRR");
    CHECK_TEXT(order_of(3, 1).c_str(), "WRWW");
}

/* The write that comes first is not there yet; behind a read it is a write's turn. */
void kind_that_has_not_arrived_loses_its_turn(void)
{
    laxity_sim_memory memory = plain();
    memory.reorder = 1;
    Bench bench{memory};
    bench.write(0, 9);
    bench.read(0);
    bench.read(0);
    bench.read(0);
    CHECK_TEXT(bench.decide_all().c_str(), "RWRR");
}

/* Lines that are done in order of their completion. */
std::string order_of_lines(std::uint32_t reorder, const std::vector<std::uint64_t> &lines)
{
    laxity_sim_memory memory = plain();
    memory.reorder = reorder;
    Bench bench{memory};
    for (const std::uint64_t line : lines) {
        bench.read(line);
    }
    std::string order;
    std::vector<bool> is_told(lines.size());
    for (std::size_t n = 0; n < lines.size(); n++) {
        bench.decide();
        for (std::size_t i = 0; i < lines.size(); i++) {
            if (!is_told[i] && bench.read_of(i).done != laxity::NEVER) {
                is_told[i] = true;
                order += std::to_string(lines[i]) + " ";
            }
        }
    }
    return order;
}

/* Line 1 is of the row of line 0. It is fourth; behind the first decision a buffer of 3 has it. */
void open_row_is_served_first_among_those_in_the_buffer(void)
{
    CHECK_TEXT(order_of_lines(1, {0, 8, 16, 1}).c_str(), "0 8 16 1 ");
    CHECK_TEXT(order_of_lines(2, {0, 8, 16, 1}).c_str(), "0 8 16 1 ");
    CHECK_TEXT(order_of_lines(3, {0, 8, 16, 1}).c_str(), "0 1 8 16 ");
    CHECK_TEXT(order_of_lines(4, {0, 8, 2, 1}).c_str(), "0 2 1 8 "); /* the oldest of these */
}

/* The first has the bus until 14, of which 14 are granted to core 0. */
void read_is_held_up_by_what_is_granted_to_others(void)
{
    Bench bench{plain()};
    bench.read(0, 0, 0);
    bench.read(4, 0, 1); /* decided at 9, the bus free at 14, done at 23: 9 are granted to core 1 */
    bench.read(5, 0, 0);
    bench.decide_all();
    CHECK_EQUAL(bench.read_of(0).held_up, 0);
    CHECK_EQUAL(bench.read_of(1).held_up, 14);
    CHECK_EQUAL(bench.read_of(2).held_up, 9); /* not by its own core's first */
    bench.read(6, 100, 1);                    /* what was before its sending is of no account */
    bench.decide_all();
    CHECK_EQUAL(bench.read_of(3).held_up, 0);
}

void read_is_held_up_by_a_row_that_another_core_has_opened(void)
{
    Bench bench{plain()};
    const auto held_up = [&bench](std::uint64_t line, std::uint32_t core) {
        bench.read(line, 0, core);
        bench.decide_all();
        return bench.read_of(bench.reads.size() - 1).held_up;
    };
    CHECK_EQUAL(held_up(0, 0), 0);
    CHECK_EQUAL(held_up(1, 1), 0);      /* hits, and leaves it the row of core 0 */
    CHECK_EQUAL(held_up(8, 1), 15 - 5); /* which is closed */
    CHECK_EQUAL(held_up(16, 1), 0);     /* its own row is closed */
    CHECK_EQUAL(held_up(0, 0), 15 - 5);
}

void queue_has_room_until_its_limit_and_again_when_one_is_decided(void)
{
    laxity_sim_memory memory = plain();
    memory.read_queue = 2;
    memory.write_queue = 1;
    Bench bench{memory};
    bench.read(0, 0, 1);
    CHECK(!bench.channel().lacks(EITHER));
    bench.read(1, 0, 0);
    CHECK(bench.channel().lacks(EITHER));
    CHECK(bench.channel().lacks(READS));
    CHECK_EQUAL(bench.channel().oldest_core(), 1);
    bench.decide();
    CHECK(!bench.channel().lacks(EITHER));
    bench.write(2, 0, 1);
    CHECK(bench.channel().lacks(EITHER));
    CHECK(!bench.channel().lacks(READS));
    CHECK_EQUAL(bench.channel().oldest_core(), 1); /* of the writes */
}

void queue_is_overfull_beyond_its_limit(void)
{
    laxity_sim_memory memory = plain();
    memory.write_queue = 1;
    Bench bench{memory};
    bench.write(0);
    CHECK(!bench.channel().is_overfull(false));
    bench.write(1);
    CHECK(bench.channel().is_overfull(false));
    CHECK(!bench.channel().is_overfull(true));
}

void lines_are_spread_over_channels_and_then_over_rows(void)
{
    laxity_sim_memory memory = plain();
    memory.channels = 2;
    const std::vector<laxity::Instance> one{{&memory, 0, laxity::Instance::NOBODY}};
    laxity::Memory both{one, 1};
    laxity::Links links = no_links(1);
    CHECK(&both.channel_of(0, 6) == both.channels().data());
    CHECK(&both.channel_of(0, 7) == &both.channels()[1]);
    laxity_sim_counts counts{};
    (void)both.read(0, {.at = 0, .arrival = 0, .core = 0}, 0);
    /* 6 / 2 = 3: the last line of row 0; 8 / 2 = 4: row 1 */
    (void)both.read(0, {.at = 6, .arrival = 0, .core = 0}, 0);
    (void)both.read(0, {.at = 8, .arrival = 0, .core = 0}, 0);
    for (int i = 0; i < 3; i++) {
        counts.row_hits += both.channels().front().decide(both.reads(), links).is_row_hit ? 1 : 0;
    }
    CHECK_EQUAL(counts.row_hits, 1);
}

laxity_sim_memory random_memory(Random &random)
{
    const auto small = [&random](std::uint64_t least, std::uint64_t most) {
        return static_cast<std::uint32_t>(random.between(least, most));
    };
    laxity_sim_memory memory = plain();
    memory.reorder = small(1, 6);
    memory.banks = small(1, 8);
    memory.row_lines = small(1, 8);
    memory.response_ticks = small(0, 5);
    memory.hit_ticks = small(0, 9);
    memory.empty_ticks = memory.hit_ticks + small(0, 9);
    memory.conflict_ticks = memory.empty_ticks + small(0, 9);
    memory.line_ticks = small(1, 9);
    memory.turnaround_ticks = small(0, 9);
    memory.refresh_interval = random.is(1, 2) ? 0 : random.between(30, 300);
    memory.refresh_ticks = small(1, 40);
    return memory;
}

/* Sends at random times and decides in time. Tells what does not hold; 0: all does. */
class Trial {
  public:
    explicit Trial(std::uint64_t seed)
        : random_(seed), memory_(random_memory(random_)), bench_(memory_, 3)
    {
    }

    void run()
    {
        std::uint64_t now = 0;
        for (int i = 0; i < 400; i++) {
            now += random_.below(random_.is(1, 20) ? 300 : 20);
            decide_before(now);
            send(now);
        }
        decide_before(laxity::NEVER);
    }

    std::uint64_t n_overlaps = 0; /* transfers on the bus at once */
    std::uint64_t n_early = 0;    /* decisions at no later tick than the one before */
    std::uint64_t n_hasty = 0;    /* reads that took less than a hit does */
    std::uint64_t n_lost = 0;

  private:
    void send(std::uint64_t now)
    {
        if (bench_.channel().lacks(EITHER)) {
            return;
        }
        const auto core = static_cast<std::uint32_t>(random_.below(3));
        if (random_.is(1, 2)) {
            bench_.read(random_.below(64), now + 3, core);
            arrivals_.push_back(now + 3);
            n_reads_++;
        } else {
            bench_.write(random_.below(64), now + 3, core);
            n_writes_++;
        }
    }

    void decide_before(std::uint64_t now)
    {
        while (bench_.channel().next() < now) {
            n_early += bench_.channel().next() < least_ ? 1 : 0;
            least_ = bench_.channel().next() + 1;
            n_transfers_++;
            if (bench_.decide() == 'R') {
                look_at_reads();
            }
        }
        if (now == laxity::NEVER) {
            n_lost = n_reads_ - bench_.counts.reads + n_writes_ - bench_.counts.writes;
            n_lost += bench_.reads.size();
        }
    }

    /* One is new. Each transfer since the last read has had the bus for itself. */
    void look_at_reads()
    {
        for (std::size_t i = 0; i < bench_.reads.size(); i++) {
            const std::uint64_t done = bench_.read_of(i).done;
            if (done == laxity::NEVER) {
                continue;
            }
            const std::uint64_t end = done - memory_.response_ticks;
            n_overlaps += end < bus_end_ + n_transfers_ * memory_.line_ticks ? 1 : 0;
            n_hasty += end < arrivals_[i] + memory_.hit_ticks + memory_.line_ticks ? 1 : 0;
            bus_end_ = end;
            n_transfers_ = 0;
            const auto at = static_cast<std::ptrdiff_t>(i);
            bench_.reads.erase(bench_.reads.begin() + at);
            arrivals_.erase(arrivals_.begin() + at);
            return;
        }
        n_lost++;
    }

    Random random_;
    laxity_sim_memory memory_;
    Bench bench_;
    std::vector<std::uint64_t> arrivals_;
    std::uint64_t n_reads_ = 0;
    std::uint64_t n_writes_ = 0;
    std::uint64_t n_transfers_ = 0;
    std::uint64_t least_ = 0;
    std::uint64_t bus_end_ = 0;
};

void no_request_is_lost_and_the_bus_is_used_once_at_a_time(void)
{
    for (std::uint64_t seed = 0; seed < 100; seed++) {
        Trial trial{seed};
        trial.run();
        CHECK_EQUAL(trial.n_overlaps, 0);
        CHECK_EQUAL(trial.n_early, 0);
        CHECK_EQUAL(trial.n_hasty, 0);
        CHECK_EQUAL(trial.n_lost, 0);
    }
}

} // namespace

int main()
{
    RUN(read_of_a_closed_row_opens_it);
    RUN(read_of_the_open_row_hits);
    RUN(read_of_another_row_closes_the_open_one);
    RUN(another_bank_opens_its_row_while_the_bus_is_in_use);
    RUN(request_that_has_not_arrived_is_not_decided);
    RUN(bus_turns_round_between_kinds);
    RUN(refresh_closes_all_rows_and_takes_the_bus);
    RUN(reads_and_writes_take_turns);
    RUN(kind_that_has_not_arrived_loses_its_turn);
    RUN(open_row_is_served_first_among_those_in_the_buffer);
    RUN(read_is_held_up_by_what_is_granted_to_others);
    RUN(read_is_held_up_by_a_row_that_another_core_has_opened);
    RUN(queue_has_room_until_its_limit_and_again_when_one_is_decided);
    RUN(queue_is_overfull_beyond_its_limit);
    RUN(lines_are_spread_over_channels_and_then_over_rows);
    RUN(no_request_is_lost_and_the_bus_is_used_once_at_a_time);
    return test_exit_code();
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Values by numbers, lines that are lost, and reads that are forgotten. */
#include "../test.h"
#include "model/lost.hpp"
#include "model/memory.hpp"
#include "model/table.hpp"
#include "random.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace {

using laxity::Cause;

bool is_never_spare(std::uint64_t value)
{
    (void)value;
    return false;
}

/* Keys as lines are: neighbours, and far apart. */
std::uint64_t random_key(Random &random)
{
    return random.below(4) << 40U | random.below(3000);
}

void table_has_what_was_put_into_it_and_nothing_else(void)
{
    Random random{1};
    laxity::Table<std::uint64_t> table;
    std::map<std::uint64_t, std::uint64_t> same;
    CHECK(table.find(0) == nullptr);
    for (int i = 0; i < 20000; i++) {
        const std::uint64_t key = random_key(random);
        table.insert(key, is_never_spare) = random.next();
        same[key] = *table.find(key);
        const std::uint64_t other = random_key(random);
        const std::uint64_t *const found = table.find(other);
        CHECK_EQUAL(found != nullptr, same.contains(other));
        CHECK(found == nullptr || *found == same[other]);
    }
}

/* Of 10000 keys one in ten is kept: what is spare makes room again and again. */
void table_leaves_spare_values_behind_when_it_needs_room(void)
{
    laxity::Table<std::uint64_t> table;
    const auto is_odd_one = [](std::uint64_t value) { return value % 10 != 0; };
    for (std::uint64_t key = 0; key < 10000; key++) {
        table.insert(key, is_odd_one) = key;
    }
    std::uint64_t n = 0;
    for (std::uint64_t key = 0; key < 10000; key += 10) {
        CHECK(table.find(key) != nullptr && *table.find(key) == key);
    }
    for (std::uint64_t key = 0; key < 10000; key++) {
        n += table.find(key) != nullptr ? 1 : 0;
    }
    CHECK(n < 2 * 1000 + 1000);
}

void lost_line_is_taken_once_and_its_neighbours_stay(void)
{
    laxity::Lost lost;
    CHECK(lost.take(7) == Cause::Own);
    lost.set(7, Cause::Shared);
    lost.set(8, Cause::Reload);
    lost.set(7, Cause::Reload); /* the last word */
    CHECK(lost.take(7) == Cause::Reload);
    CHECK(lost.take(7) == Cause::Own);
    CHECK(lost.take(6) == Cause::Own);
    CHECK(lost.take(8) == Cause::Reload);
}

void check_taken(laxity::Lost &lost, std::map<std::uint64_t, Cause> &same, std::uint64_t line)
{
    const auto found = same.find(line);
    CHECK(lost.take(line) == (found == same.end() ? Cause::Own : found->second));
    same.erase(line);
}

void lost_lines_are_those_of_a_plain_map(void)
{
    Random random{2};
    laxity::Lost lost;
    std::map<std::uint64_t, Cause> same;
    for (int i = 0; i < 50000; i++) {
        const std::uint64_t line = random_key(random);
        if (random.is(1, 2)) {
            const Cause cause = random.is(1, 2) ? Cause::Reload : Cause::Shared;
            lost.set(line, cause);
            same[line] = cause;
        } else {
            check_taken(lost, same, line);
        }
    }
}

void check_done(laxity::Reads &reads, std::uint64_t number, std::uint64_t tick)
{
    const auto *const read = reads.find(number);
    CHECK(read != nullptr);
    CHECK(read->done == tick);
}

/* A read is there as long as it is not done, and at the tick at which it is. */
void read_is_forgotten_only_behind_the_tick_at_which_it_is_done(void)
{
    laxity::Reads reads;
    const std::uint64_t slow = reads.take(0, 0);
    const std::uint64_t quick = reads.take(0, 0);
    reads.find(quick)->done = 1000;
    for (std::uint64_t now = 1; now <= 1000; now++) {
        const std::uint64_t other = reads.take(now, now);
        check_done(reads, other, laxity::NEVER);
        reads.find(other)->done = now;
        check_done(reads, slow, laxity::NEVER);
        check_done(reads, quick, 1000);
    }
    for (std::uint64_t i = 0; i < 10000; i++) {
        reads.find(reads.take(1001 + i, 1001 + i))->done = 1001 + i;
    }
    CHECK(reads.find(quick) == nullptr);
    CHECK_EQUAL(reads.done(quick), 0);
    CHECK(reads.find(slow) != nullptr);
    CHECK(reads.find(laxity::NO_READ) == nullptr);
}

/* None is lost when there are more at once than there was room for. */
void reads_that_are_not_done_stay_however_many_they_are(void)
{
    laxity::Reads reads;
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < 1000; i++) {
        numbers.push_back(reads.take(i, i));
        reads.find(numbers.back())->held_up = i;
    }
    for (std::uint64_t i = 0; i < 1000; i++) {
        CHECK(reads.find(numbers[i]) != nullptr);
        CHECK_EQUAL(reads.find(numbers[i])->held_up, i);
    }
}

} // namespace

int main()
{
    RUN(table_has_what_was_put_into_it_and_nothing_else);
    RUN(table_leaves_spare_values_behind_when_it_needs_room);
    RUN(lost_line_is_taken_once_and_its_neighbours_stay);
    RUN(lost_lines_are_those_of_a_plain_map);
    RUN(read_is_forgotten_only_behind_the_tick_at_which_it_is_done);
    RUN(reads_that_are_not_done_stay_however_many_they_are);
    return test_exit_code();
}

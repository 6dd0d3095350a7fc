/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Values by numbers, and lines that are lost. */
#include "../test.h"
#include "model/lost.hpp"
#include "model/table.hpp"
#include "random.hpp"

#include <cstdint>
#include <map>

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
            const Cause cause = same.contains(line) ? same[line] : Cause::Own;
            CHECK(lost.take(line) == cause);
            same.erase(line);
        }
    }
}

} // namespace

int main()
{
    RUN(table_has_what_was_put_into_it_and_nothing_else);
    RUN(table_leaves_spare_values_behind_when_it_needs_room);
    RUN(lost_line_is_taken_once_and_its_neighbours_stay);
    RUN(lost_lines_are_those_of_a_plain_map);
    return test_exit_code();
}

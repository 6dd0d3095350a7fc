/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Many instructions at once, as long as all that they need is there. Nearly all time goes here. */
#include "engine/core.hpp"
#include "engine/hierarchy.hpp"
#include "engine/reader.hpp"
#include "engine/turn.hpp"
#include "interface/records.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace laxity {

namespace {

/* A core lets go after so many blocks, so that somebody looks whether the run shall end. */
constexpr unsigned BLOCKS_PER_TURN = 1U << 10U;

} // namespace

/* The first instruction after `of` that needs what this writes. */
std::size_t Core::next_user(const Block &block, std::size_t of, std::size_t until)
{
    const Registers &written = block.steps[of].writes;
    std::size_t at = of + 1;
    while (at < until && (written & block.steps[at].needs).none()) {
        at++;
    }
    return std::min(at, until);
}

/* The first instruction of a block that does not begin before the horizon, or may have to wait for
 * a load. The core is at `at`, which begins now, or is at its accesses and needs no more. */
[[gnu::always_inline]] inline std::size_t
Core::limit_of(const Block &block, std::size_t at, std::uint64_t horizon) const
{
    const std::vector<Step> &steps = block.steps;
    std::size_t limit = block.n_steps;
    if (now_ + block.ticks >= horizon) {
        const std::uint64_t begun = now_ - steps[at].offset;
        const auto late = std::ranges::partition_point(steps, [begun, horizon](const Step &step) {
            return begun + step.offset < horizon;
        });
        limit = static_cast<std::size_t>(late - steps.begin());
    }
    if (stage_ == Stage::Within) {
        at++;
        limit = std::max(limit, at);
    }
    if ((waiting_ & block.registers).none()) [[likely]] {
        return limit;
    }
    while (at < limit && (waiting_ & steps[at].needs).none()) {
        at++;
    }
    return at;
}

/* All before an instruction of the block has been executed. */
[[gnu::always_inline]] inline void Core::advance_to(std::size_t index)
{
    Position &position = *execution_.position;
    const Block &block = *position.block;
    const Step *const steps = block.steps.data();
    const std::uint64_t end = index < block.n_steps ? steps[index].offset : block.ticks;
    const std::uint64_t ticks = end - steps[position.index].offset;
    if (!execution_.reader->marks().empty()) {
        make_marks(index);
    }
    now_ += ticks;
    execution_.spent->busy += ticks;
    own_.counts.instructions += index - position.index;
    position.index = index;
}

/* A line that is there, or is in memory of the core's own, as its page is. */
template <bool IS_PLAIN>
[[gnu::always_inline]] inline bool Core::touch_ahead(
    Kind kind, std::uint64_t line, std::uint64_t known_as, Bytes bytes, std::uint64_t now
)
{
    return (IS_PLAIN || hierarchy_.use_page(own_, kind, line)) &&
           (hierarchy_.touch_privately(own_, kind, known_as, bytes, now) ||
            (!IS_PLAIN && hierarchy_.touch_own(own_, number_, known_as)));
}

/* Fetches the lines of a block, which began at a time, up to those of an instruction. False: the
 * next one must be asked for. */
template <bool IS_PLAIN>
[[gnu::always_inline]] inline bool
Core::fetch_ahead(Fetches &fetches, std::size_t index, std::uint64_t begun)
{
    Position &position = *execution_.position;
    const Step *const steps = position.block->steps.data();
    for (; fetches.next != fetches.end && fetches.next->index <= index; fetches.next++) {
        const Fetch &fetch = *fetches.next;
        const std::uint64_t now = begun + steps[fetch.index].offset;
        if (!touch_ahead<IS_PLAIN>(Kind::Fetch, fetch.line, fetch.known_as, {}, now)) {
            line_ = fetch.line;
            last_line_ = steps[fetch.index].last_line;
            return false;
        }
        position.fetched = fetch.line;
    }
    return true;
}

/* False: a line of the access must be asked for. */
template <bool IS_PLAIN>
[[gnu::always_inline]] inline bool Core::access_ahead(const Access &access, std::uint64_t now)
{
    const Kind kind = access.is_store() ? Kind::Store : Kind::Load;
    const std::uint64_t begin = (std::uint64_t{execution_.task} << SPACE_SHIFT) + access.address();
    const Bytes bytes{.begin = begin, .end = begin + access.bytes()};
    const std::uint64_t line = begin >> line_shift_;
    const Shared &shared = execution_.reader->shared();
    if ((bytes.end - 1) >> line_shift_ == line) [[likely]] {
        if (touch_ahead<IS_PLAIN>(kind, line, shared.line_of(line), bytes, now)) {
            return true;
        }
        take_access(access);
        return false;
    }
    take_access(access);
    while (line_ <= last_line_ &&
           touch_ahead<IS_PLAIN>(kind, line_, shared.line_of(line_), bytes, now)) {
        line_++;
    }
    own_.same = {};
    return line_ > last_line_;
}

/* Goes on through accesses that follow one, are of its kind, size and line, and are of instructions
 * before one of them. Returns that of the last. */
[[gnu::always_inline]] inline std::size_t
Core::touch_again(Words &words, std::size_t least, std::size_t until, std::uint64_t begun)
{
    constexpr std::uint64_t INDEX = std::uint64_t{LAXITY_RECORD_INSTRUCTIONS_MAX - 1}
                                    << LAXITY_RECORD_INDEX_SHIFT;
    const std::uint64_t in_line = platform_.line_bytes - 1;
    const std::uint64_t first = *words.next;
    const Access access{first};
    const std::uint64_t *next = words.next + 1;
    if (next == words.end || ((*next ^ first) & ~(INDEX | in_line)) != 0 ||
        !execution_.reader->is_harmless(first & ~in_line, platform_.line_bytes)) {
        return least;
    }
    Request *const merging = own_.same.merging;
    const std::uint64_t last = in_line + 1 - access.bytes(); /* byte of the line to begin at */
    const std::uint64_t written = Hierarchy::all_of(access.bytes());
    bool is_full = false;
    for (; next != words.end && ((*next ^ first) & ~(INDEX | in_line)) == 0 && !is_full; next++) {
        const std::uint64_t from = *next & in_line;
        const std::size_t index = Access{*next}.index();
        if (index < least || index >= until || from > last) {
            break;
        }
        least = index;
        if (merging != nullptr) {
            merging->written |= written << from;
            is_full = hierarchy_.is_full(*merging);
        }
    }
    const auto n = static_cast<std::uint64_t>(next - words.next - 1);
    (access.is_store() ? own_.counts.stores : own_.counts.loads) += n;
    if (merging != nullptr) {
        own_.counts.store_misses += n;
        own_.counts.joins += n;
        hierarchy_.note_written(
            own_, *merging, 0, begun + execution_.position->block->steps.data()[least].offset
        );
    }
    words.next = next - 1;
    return least;
}

/* An instruction with a mark is the last of its part: a mark has the counts of what is before it.
 */
[[gnu::always_inline]] inline std::size_t Core::limit_by_marks(std::size_t until) const
{
    const std::size_t from = execution_.position->index;
    for (const Mark &mark : execution_.reader->marks()) {
        until = std::min(until, std::max<std::size_t>(mark.index, from) + 1);
    }
    return until;
}

/* Instructions of a block that the core goes through, those before `until`. */
struct Core::Part {
    const Step *steps;
    std::size_t n_steps;
    std::uint64_t begun; /* when the block would have, had nothing been waited for */
    std::size_t until;
    std::size_t least; /* that the next access may be of */
    bool has_begun;    /* that instruction */
    bool is_loading;   /* its loads are outstanding */
    Fetches fetches;
    /* What comes next is another block, or an access of the block behind the part: what cannot be
     * ends the program as soon as it comes. */
    bool goes_on = false;
};

[[gnu::always_inline]] inline Core::Part Core::part_until(std::size_t until) const
{
    const Position &position = *execution_.position;
    const Block &block = *position.block;
    const bool is_within = stage_ == Stage::Within;
    const bool is_loading = !own_.loaded.empty();
    until = limit_by_marks(until);
    return {
        .steps = block.steps.data(),
        .n_steps = block.n_steps,
        .begun = now_ - block.steps[position.index].offset,
        .until = is_loading ? next_user(block, position.index, until) : until,
        .least = position.index,
        .has_begun = is_within,
        .is_loading = is_loading,
        .fetches = block.fetches_from(position.index + (is_within ? 1 : 0)),
    };
}

/* Whether the next word is an access of the part. */
[[gnu::always_inline]] inline bool Core::find_access(Part &part, Words &words)
{
    Reader &reader = *execution_.reader;
    if (words.next == words.end || !Access::is_one(*words.next)) {
        reader.take_until(words.next);
        Event event = reader.peek();
        while (event == Event::JobStart) {
            reader.take(); /* within a job it means nothing */
            event = reader.peek();
        }
        part.until = limit_by_marks(part.until);
        words = reader.words();
        part.goes_on = event == Event::Block;
        if (event != Event::Access) {
            return false;
        }
    }
    const Access access{*words.next};
    const std::size_t index = access.index();
    if (index >= part.until || index < part.least || reader.is_forbidden(access)) {
        reader.take_until(words.next);
        part.goes_on = index >= part.until && index < part.n_steps && !reader.is_forbidden(access);
        return false;
    }
    if (part.is_loading && index != part.least) {
        part.is_loading = false;
        note_loads(part.steps[part.least], part.begun);
    }
    part.least = index;
    return true;
}

/* After an access that has been executed ahead. */
template <bool IS_PLAIN>
[[gnu::always_inline]] inline void Core::go_on_after_access(Part &part, Words &words)
{
    part.has_begun = true;
    if (IS_PLAIN && own_.same.is_known && own_.loaded.empty()) {
        const Fetches &fetches = part.fetches;
        const bool is_fetched = fetches.next == fetches.end;
        part.least = touch_again(
            words,
            part.least,
            is_fetched ? part.until : std::min(part.until, fetches.next->index),
            part.begun
        );
    }
    if (!own_.loaded.empty()) [[unlikely]] {
        part.is_loading = true;
        part.until = next_user(*execution_.position->block, part.least, part.until);
    }
}

/*
 * Executes instructions of the block that the core is in before one of them, as far as nothing
 * needs to be waited for and all lines are there. What it tells is how far that is; time and
 * position are left as they are.
 */
template <bool IS_PLAIN>
[[gnu::always_inline]] inline Core::Reached Core::go_through(std::size_t until)
{
    Reader &reader = *execution_.reader;
    Part part = part_until(until);
    for (Words words = reader.words(); find_access(part, words); words.next++) {
        const Access access{*words.next};
        if (!fetch_ahead<IS_PLAIN>(part.fetches, part.least, part.begun)) {
            reader.take_until(words.next);
            return {.index = part.fetches.next->index, .stage = Stage::Fetch};
        }
        if (!access_ahead<IS_PLAIN>(access, part.begun + part.steps[part.least].offset)) {
            reader.take_until(words.next + 1);
            return {.index = part.least, .stage = Stage::Lines};
        }
        go_on_after_access<IS_PLAIN>(part, words);
    }
    if (part.is_loading) {
        note_loads(part.steps[part.least], part.begun);
    }
    if (!part.goes_on) {
        return {.index = part.least + (part.has_begun ? 1 : 0), .stage = Stage::Boundary};
    }
    if (!fetch_ahead<IS_PLAIN>(part.fetches, part.until - 1, part.begun)) {
        return {.index = part.fetches.next->index, .stage = Stage::Fetch};
    }
    return {.index = part.until, .stage = Stage::Boundary};
}

/*
 * At the end of a block. On a plain core this goes in one step through its next executions, if it
 * has just gone through it as a whole (otherwise the horizon is 0): those that access nothing, as
 * turns of a delay loop. Its lines are there, and the replacement state is already what each
 * execution leaves; the caches lose nothing before the horizon.
 */
template <bool IS_PLAIN> void Core::end_block(const Block &block, std::uint64_t horizon)
{
    if constexpr (!IS_PLAIN) {
        judge_branch(block);
        return;
    }
    if (now_ >= horizon || !execution_.reader->comes_again(block) ||
        (waiting_ & block.registers).any()) {
        return; /* the last: a load has joined ahead of its turn */
    }
    const std::uint64_t most = (horizon - 1 - now_) / block.ticks;
    const std::uint64_t n = execution_.reader->take_repeats(most);
    now_ += n * block.ticks;
    execution_.spent->busy += n * block.ticks;
    own_.counts.instructions += n * block.n_steps;
    own_.counts.fetches += n * block.fetches.size();
}

/* Goes on in the block that the core is in. Whether it has come to an instruction, or to the
 * block's end, and may go on. */
template <bool IS_PLAIN> bool Core::run_part(std::size_t until, std::uint64_t horizon)
{
    const std::size_t from = execution_.position->index;
    const Reached reached = go_through<IS_PLAIN>(until);
    stage_ = reached.stage;
    if (reached.index != from) {
        advance_to(reached.index);
    }
    if (reached.stage == Stage::Boundary) {
        if (!is_in_block()) {
            end_block<IS_PLAIN>(*execution_.position->block, horizon);
        }
        return reached.index != from;
    }
    if (now_ != action_) {
        is_paused_ = true; /* what is not there is asked for in the core's turn */
        set_next(Next::GoOn);
    }
    return false;
}

/* Whether what comes next is no block, or the line that the core is in must be fetched again. */
bool Core::needs_turn(bool is_new) const
{
    return is_new ? execution_.reader->peek() != Event::Block
                  : stage_ == Stage::Boundary && execution_.position->fetched == NEVER;
}

/* Whether the core has gone on, through one block after the other. */
template <bool IS_PLAIN> bool Core::run_blocks_of(std::uint64_t horizon)
{
    own_.requests.forget_done(now_);
    if (own_.requests.is_empty()) {
        operands_.clear();
        waiting_.reset();
    }
    Reader &reader = *execution_.reader;
    Position &position = *execution_.position;
    for (unsigned n = 0;; n++) {
        const bool is_new = !is_in_block();
        if (needs_turn(is_new)) {
            return is_at_limit_ = n > 0;
        }
        const Block &block = is_new ? reader.block() : *position.block;
        const std::size_t from = is_new ? 0 : position.index;
        const std::size_t until = limit_of(block, from, horizon);
        if (until <= from) {
            return is_at_limit_ = n > 0;
        }
        if (n == BLOCKS_PER_TURN) {
            is_paused_ = true;
            set_next(Next::GoOn);
            return true;
        }
        if (is_new) {
            reader.take();
            position = {.block = &block, .index = 0, .fetched = NEVER};
        }
        if (!run_part<IS_PLAIN>(until, is_new ? horizon : 0)) {
            return n > 0 || is_new || position.index > from || stage_ != Stage::Boundary;
        }
    }
}

bool Core::run_blocks(std::uint64_t horizon)
{
    return is_plain_ ? run_blocks_of<true>(horizon) : run_blocks_of<false>(horizon);
}

} // namespace laxity

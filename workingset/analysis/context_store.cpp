// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/context_store.hpp"

#include "analysis/live_counter.hpp"

#include <algorithm>
#include <llvm/ADT/Hashing.h>
#include <utility>

namespace laxity::workingset {

namespace {

uint64_t hash_of(const LiveAfter &after)
{
    llvm::hash_code hash = 0;
    for (const CellSet &cells : after) {
        hash = llvm::hash_combine(hash, cells.words().size());
        for (const CellSet::Word &word : cells.words()) {
            hash = llvm::hash_combine(hash, word.index, word.bits);
        }
    }
    return static_cast<uint64_t>(static_cast<size_t>(hash)) >> 1; // the largest are not for keys
}

} // namespace

void add_to(Span &span, const LiveBits &bits)
{
    add_bits(span.most, bits);
    add_bits(span.least, bits);
    span.most_total += bits.total();
    span.least_total += bits.total();
}

Entry make_entry(LiveAfter touched_after, const Carried &carried)
{
    const uint64_t hash = hash_of(touched_after);
    return {.context = {std::move(touched_after), carried}, .hash = hash};
}

bool Contexts::add(const Entry &entry, unsigned limit)
{
    const bool is_new = add_or_merge(entry, limit);
    has_changed_ = has_changed_ || is_new;
    return is_new;
}

std::vector<Context> Contexts::take_changed()
{
    std::vector<Context> result;
    if (!std::exchange(has_changed_, false)) {
        return result;
    }
    for (auto &[key, known] : contexts_) {
        if (std::exchange(known.has_changed, false)) {
            result.push_back(known.context);
        }
    }
    if (merged_ && std::exchange(merged_->has_changed, false)) {
        result.push_back(merged_->context);
    }
    return result;
}

Contexts::Key Contexts::key_of(const LiveAfter &after)
{
    Key key;
    for (const CellSet &cells : after) {
        for (unsigned cell : cells) {
            key.push_back(cell);
        }
        key.push_back(~0U);
    }
    return key;
}

bool Contexts::add_or_merge(const Entry &entry, unsigned limit)
{
    auto &same_hash = by_hash_[entry.hash];
    for (Known *known : same_hash) {
        if (known->context.after == entry.context.after) {
            return merge(*known, entry.context.carried);
        }
    }
    if (contexts_.size() >= limit) {
        return add_merged(entry.context);
    }
    const auto place =
        contexts_.try_emplace(key_of(entry.context.after), Known{entry.context}).first;
    same_hash.push_back(&place->second);
    return true;
}

bool Contexts::add_merged(const Context &context)
{
    if (!merged_) {
        merged_ = Known{context};
        merged_->context.carried.is_merged = true;
        return true;
    }
    bool has_changed = merge(*merged_, context.carried);
    for (size_t exit = 0; exit < EXIT_KINDS; exit++) {
        has_changed = (merged_->context.after[exit] |= context.after[exit]) || has_changed;
    }
    merged_->has_changed = merged_->has_changed || has_changed;
    return has_changed;
}

bool Contexts::merge(Known &known, const Carried &from)
{
    Carried &into = known.context.carried;
    bool has_changed = from.is_merged && !into.is_merged;
    into.is_merged = into.is_merged || from.is_merged;
    for (size_t mask = 0; mask < EXIT_MASKS; mask++) {
        has_changed = widen(into.spans[mask], from.spans[mask]) || has_changed;
    }
    if (into.contexts && from.contexts) {
        into.contexts = *into.contexts + std::min(*from.contexts, ~*into.contexts);
    } else {
        into.contexts = std::nullopt;
    }
    known.has_changed = known.has_changed || has_changed;
    return has_changed;
}

} // namespace laxity::workingset

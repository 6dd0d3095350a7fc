// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace laxity::workingset {

/*
 * A set of numbers as sorted words of bits: neighbours share a word, and a union is one pass over
 * contiguous memory. (SparseBitVector is a linked list; a solver that does little but unite sets
 * waits for its memory.)
 */
class NumberSet {
  public:
    static constexpr unsigned WORD_BITS = 64;

    struct Word {
        unsigned index;
        uint64_t bits;

        friend bool operator==(const Word &, const Word &) = default;
    };

    [[nodiscard]] bool empty() const
    {
        return words_.empty();
    }
    [[nodiscard]] const std::vector<Word> &words() const
    {
        return words_;
    }
    [[nodiscard]] bool test(unsigned number) const
    {
        const auto word = lower_bound(number / WORD_BITS);
        return word != words_.end() && word->index == number / WORD_BITS &&
               (word->bits & bit(number)) != 0;
    }
    void set(unsigned number)
    {
        const unsigned index = number / WORD_BITS;
        if (words_.empty() || words_.back().index < index) {
            words_.push_back({.index = index, .bits = bit(number)});
            return;
        }
        const auto word = words_.begin() + (lower_bound(index) - words_.cbegin());
        if (word->index == index) {
            word->bits |= bit(number);
        } else {
            words_.insert(word, {.index = index, .bits = bit(number)});
        }
    }
    /* Append a word beyond all others. */
    void push_back(const Word &word)
    {
        words_.push_back(word);
    }
    void clear()
    {
        words_ = {};
    }

    void unite(const NumberSet &other)
    {
        static_cast<void>(take(other));
    }

    /* Unite with `other`; returns what of it was new. */
    NumberSet take(const NumberSet &other)
    {
        NumberSet fresh = other.without(*this);
        if (fresh.empty()) {
            return fresh;
        }
        if (words_.empty() || words_.back().index < fresh.words_.front().index) {
            words_.insert(words_.end(), fresh.words_.begin(), fresh.words_.end());
            return fresh;
        }
        std::vector<Word> united;
        united.reserve(words_.size() + fresh.words_.size());
        auto mine = words_.begin();
        for (const Word &theirs : fresh.words_) {
            while (mine != words_.end() && mine->index < theirs.index) {
                united.push_back(*mine++);
            }
            united.push_back(theirs);
            if (mine != words_.end() && mine->index == theirs.index) {
                united.back().bits |= mine->bits;
                ++mine;
            }
        }
        united.insert(united.end(), mine, words_.end());
        if (united.capacity() > united.size() + united.size() / 4) {
            united.shrink_to_fit();
        }
        words_ = std::move(united);
        return fresh;
    }

    [[nodiscard]] NumberSet without(const NumberSet &other) const
    {
        NumberSet rest;
        auto theirs = other.words_.begin();
        for (const Word &word : words_) {
            theirs = std::ranges::lower_bound(
                theirs, other.words_.end(), word.index, {}, [](const Word &w) { return w.index; }
            );
            const bool is_same = theirs != other.words_.end() && theirs->index == word.index;
            const uint64_t bits = is_same ? word.bits & ~theirs->bits : word.bits;
            if (bits != 0) {
                rest.words_.push_back({.index = word.index, .bits = bits});
            }
        }
        return rest;
    }

    template <typename Action> void for_each(Action action) const
    {
        for (const Word &word : words_) {
            for (uint64_t bits = word.bits; bits != 0; bits &= bits - 1) {
                action(word.index * WORD_BITS + static_cast<unsigned>(std::countr_zero(bits)));
            }
        }
    }

    friend bool operator==(const NumberSet &, const NumberSet &) = default;

  private:
    [[nodiscard]] static uint64_t bit(unsigned number)
    {
        return uint64_t{1} << number % WORD_BITS;
    }
    [[nodiscard]] std::vector<Word>::const_iterator lower_bound(unsigned index) const
    {
        return std::ranges::lower_bound(words_, index, {}, [](const Word &w) { return w.index; });
    }

    std::vector<Word> words_;
};

} // namespace laxity::workingset

// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace laxity::workingset {

/*
 * A set of numbers as sorted words of bits: neighbours share a word, and a union is one pass over
 * contiguous memory. (SparseBitVector is a linked list; an analysis that does little but unite sets
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

    /* The numbers in ascending order; the set must not change meanwhile. */
    class Iterator {
      public:
        // The standard library asks for these names.
        // NOLINTBEGIN(readability-identifier-naming)
        using difference_type = std::ptrdiff_t;
        using value_type = unsigned;
        // NOLINTEND(readability-identifier-naming)

        Iterator() = default;
        Iterator(const Word *word, const Word *end) : word_(word), end_(end)
        {
            bits_ = word_ == end_ ? 0 : word_->bits;
        }
        unsigned operator*() const
        {
            return word_->index * WORD_BITS + static_cast<unsigned>(std::countr_zero(bits_));
        }
        Iterator &operator++()
        {
            bits_ &= bits_ - 1;
            if (bits_ == 0 && ++word_ != end_) {
                bits_ = word_->bits;
            }
            return *this;
        }
        Iterator operator++(int)
        {
            const Iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const Iterator &a, const Iterator &b)
        {
            return a.word_ == b.word_ && a.bits_ == b.bits_;
        }

      private:
        const Word *word_ = nullptr, *end_ = nullptr;
        uint64_t bits_ = 0; // of the word, those not yet behind
    };

    [[nodiscard]] Iterator begin() const
    {
        return {words_.data(), words_.data() + words_.size()};
    }
    [[nodiscard]] Iterator end() const
    {
        return {words_.data() + words_.size(), words_.data() + words_.size()};
    }
    [[nodiscard]] bool empty() const
    {
        return words_.empty();
    }
    [[nodiscard]] const std::vector<Word> &words() const
    {
        return words_;
    }
    [[nodiscard]] unsigned count() const
    {
        unsigned numbers = 0;
        for (const Word &word : words_) {
            numbers += static_cast<unsigned>(std::popcount(word.bits));
        }
        return numbers;
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

    /* Unite with `other`; returns whether any of it was new. */
    bool operator|=(const NumberSet &other)
    {
        if (this == &other) {
            return false;
        }
        size_t missing = 0;
        bool has_changed = false;
        auto mine = words_.begin();
        for (const Word &theirs : other.words_) {
            mine = seek(mine, words_.end(), theirs.index);
            if (mine == words_.end() || mine->index != theirs.index) {
                missing++;
                continue;
            }
            has_changed = has_changed || (theirs.bits & ~mine->bits) != 0;
            mine->bits |= theirs.bits;
        }
        if (missing > 0) {
            insert_words(other, missing);
        }
        return has_changed || missing > 0;
    }

    /* Keep what `other` has, too; returns whether anything went. */
    bool operator&=(const NumberSet &other)
    {
        return keep_words(other, [](uint64_t mine, uint64_t theirs) { return mine & theirs; });
    }

    /* Returns whether anything went. */
    bool subtract(const NumberSet &other)
    {
        // What is taken away is mostly far smaller: only those words are looked at.
        bool has_changed = false, is_one_empty = false;
        auto mine = words_.begin();
        for (const Word &theirs : other.words_) {
            mine = seek(mine, words_.end(), theirs.index);
            if (mine == words_.end()) {
                break;
            }
            if (mine->index == theirs.index) {
                has_changed = has_changed || (mine->bits & theirs.bits) != 0;
                mine->bits &= ~theirs.bits;
                is_one_empty = is_one_empty || mine->bits == 0;
            }
        }
        if (is_one_empty) {
            std::erase_if(words_, [](const Word &word) { return word.bits == 0; });
        }
        return has_changed;
    }

    [[nodiscard]] bool intersects(const NumberSet &other) const
    {
        auto theirs = other.words_.begin();
        for (const Word &word : words_) {
            theirs = seek(theirs, other.words_.end(), word.index);
            if (theirs == other.words_.end()) {
                return false;
            }
            if (theirs->index == word.index && (theirs->bits & word.bits) != 0) {
                return true;
            }
        }
        return false;
    }

    /* Unite with `other`; returns what of it was new. */
    NumberSet take(const NumberSet &other)
    {
        NumberSet fresh = other.without(*this);
        *this |= fresh;
        return fresh;
    }

    [[nodiscard]] NumberSet without(const NumberSet &other) const
    {
        NumberSet rest;
        auto theirs = other.words_.begin();
        for (const Word &word : words_) {
            theirs = seek(theirs, other.words_.end(), word.index);
            const bool is_same = theirs != other.words_.end() && theirs->index == word.index;
            const uint64_t bits = is_same ? word.bits & ~theirs->bits : word.bits;
            if (bits != 0) {
                rest.words_.push_back({.index = word.index, .bits = bits});
            }
        }
        return rest;
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
    /* The first word from `at` on that is not before `index`: in growing steps, since one of two
     * sets is often much smaller. */
    template <typename At> [[nodiscard]] static At seek(At at, At end, unsigned index)
    {
        std::ptrdiff_t step = 1;
        while (step < end - at && at[step].index < index) {
            at += step;
            step *= 2;
        }
        const At stop = step < end - at ? at + step + 1 : end;
        return std::ranges::lower_bound(at, stop, index, {}, [](const Word &w) { return w.index; });
    }
    /* Those words of `other` that are not here, so many, from the last to the first. */
    void insert_words(const NumberSet &other, size_t missing)
    {
        auto mine = static_cast<std::ptrdiff_t>(words_.size()) - 1;
        if (words_.capacity() < words_.size() + missing) {
            // Hardly more: most sets grow no further, and there are millions of them.
            words_.reserve(std::max(words_.size() + missing, words_.size() / 4 * 5));
        }
        words_.resize(words_.size() + missing);
        auto to = static_cast<std::ptrdiff_t>(words_.size()) - 1;
        for (auto theirs = other.words_.rbegin(); mine != to; ++theirs) {
            while (mine >= 0 && at(mine).index > theirs->index) {
                at(to--) = at(mine--);
            }
            if (mine < 0 || at(mine).index != theirs->index) {
                at(to--) = *theirs;
            }
        }
    }
    [[nodiscard]] Word &at(std::ptrdiff_t place)
    {
        return words_[static_cast<size_t>(place)];
    }
    /* Each word becomes what `combine` makes of it and the other's; empty ones go. */
    template <typename Combine> bool keep_words(const NumberSet &other, Combine combine)
    {
        bool has_changed = false;
        auto to = words_.begin();
        auto theirs = other.words_.begin();
        for (const Word &word : words_) {
            theirs = seek(theirs, other.words_.end(), word.index);
            const bool is_same = theirs != other.words_.end() && theirs->index == word.index;
            const uint64_t bits = combine(word.bits, is_same ? theirs->bits : 0);
            has_changed = has_changed || bits != word.bits;
            const unsigned index = word.index;
            if (bits != 0) {
                *to++ = {.index = index, .bits = bits};
            }
        }
        words_.erase(to, words_.end());
        return has_changed;
    }

    std::vector<Word> words_;
};

} // namespace laxity::workingset

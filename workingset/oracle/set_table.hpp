// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// Sets of cells by number: each is kept once, however many points have it.
#ifndef LAXITY_WORKINGSET_SET_TABLE_HPP
#define LAXITY_WORKINGSET_SET_TABLE_HPP

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/Hashing.h"

#include <cstdint>
#include <deque>
#include <unordered_set>
#include <utility>

namespace laxity::workingset::oracle {

// All sets of a table have the same size.
class SetTable {
  public:
    SetTable() = default;
    SetTable(const SetTable &) = delete; // the numbers' hash refers to the sets
    SetTable &operator=(const SetTable &) = delete;
    ~SetTable() = default;

    [[nodiscard]] uint32_t number_of(llvm::BitVector set)
    {
        sets_.push_back(std::move(set));
        auto [known, is_new] = numbers_.insert(static_cast<uint32_t>(sets_.size() - 1));
        if (!is_new) {
            sets_.pop_back();
        }
        return *known;
    }
    // A reference stays valid when sets are added.
    [[nodiscard]] const llvm::BitVector &operator[](uint32_t number) const
    {
        return sets_[number];
    }
    [[nodiscard]] size_t size() const
    {
        return sets_.size();
    }

  private:
    struct Hash {
        const std::deque<llvm::BitVector> *sets;
        size_t operator()(uint32_t number) const
        {
            llvm::ArrayRef<uintptr_t> words = (*sets)[number].getData();
            return llvm::hash_combine_range(words.begin(), words.end());
        }
    };
    struct Same {
        const std::deque<llvm::BitVector> *sets;
        bool operator()(uint32_t one, uint32_t other) const
        {
            return (*sets)[one] == (*sets)[other];
        }
    };

    std::deque<llvm::BitVector> sets_;
    std::unordered_set<uint32_t, Hash, Same> numbers_{0, Hash{&sets_}, Same{&sets_}};
};

} // namespace laxity::workingset::oracle

#endif

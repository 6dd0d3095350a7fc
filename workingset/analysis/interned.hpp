// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <unordered_set>
#include <utility>

namespace laxity::workingset {

/* Values by number: each is kept once, however many have it. It needs hash_value() and ==. */
template <typename Value> class Interned {
  public:
    [[nodiscard]] unsigned number_of(Value value)
    {
        values_->push_back(std::move(value));
        auto [known, is_new] = numbers_.insert(static_cast<unsigned>(values_->size() - 1));
        if (!is_new) {
            values_->pop_back();
        }
        return *known;
    }
    /* A reference stays valid when values are added. */
    [[nodiscard]] const Value &operator[](unsigned number) const
    {
        return (*values_)[number];
    }

  private:
    using Values = std::deque<Value>;
    struct Hash {
        const Values *values;
        size_t operator()(unsigned number) const
        {
            return hash_value((*values)[number]);
        }
    };
    struct Same {
        const Values *values;
        bool operator()(unsigned one, unsigned other) const
        {
            return (*values)[one] == (*values)[other];
        }
    };

    // Apart, so that what refers to them may be moved.
    std::unique_ptr<Values> values_ = std::make_unique<Values>();
    std::unordered_set<unsigned, Hash, Same> numbers_{0, Hash{values_.get()}, Same{values_.get()}};
};

} // namespace laxity::workingset

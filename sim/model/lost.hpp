/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Lines that others have taken from a cache, each with who has (docs/simulation-model.md, section
 * 5). */
#ifndef LAXITY_SIM_LOST_HPP
#define LAXITY_SIM_LOST_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace laxity {

/* Who has removed a line since its task used it. */
enum class Cause : std::uint8_t {
    Own,
    Reload,
    Moved,
    Shared,
};

/*
 * A table of words, each a line and a cause; 0 is none, as no line is lost to its own task. A line
 * lies at its place or behind it, with no empty word in between: one look at memory finds it.
 */
class Lost {
  public:
    void set(std::uint64_t line, Cause cause)
    {
        if (2 * n_ >= words_.size()) {
            grow();
        }
        std::uint64_t &word = words_.data()[search(line)];
        n_ += word == 0 ? 1 : 0;
        word = line << CAUSE_BITS | static_cast<std::uint64_t>(cause);
    }

    /* Takes a line out, and tells what was noted of it; Own: nothing. */
    Cause take(std::uint64_t line)
    {
        if (n_ == 0) {
            return Cause::Own;
        }
        const std::size_t at = search(line);
        const std::uint64_t word = words_.data()[at];
        if (word != 0) {
            n_--;
            close(at);
        }
        return static_cast<Cause>(word & ((1U << CAUSE_BITS) - 1));
    }

  private:
    static constexpr unsigned CAUSE_BITS = 2;
    static constexpr std::size_t LEAST = 256;

    /* Neighbours lie together: they are often lost, and asked for, one after the other. */
    [[nodiscard]] std::size_t place_of(std::uint64_t line) const
    {
        constexpr std::uint64_t GOLDEN = 0x9e3779b97f4a7c15;
        constexpr std::uint64_t NEIGHBOURS = 8;
        const std::uint64_t group = line / NEIGHBOURS * GOLDEN >> 32U;
        return (group * NEIGHBOURS + line % NEIGHBOURS) & (words_.size() - 1);
    }
    /* Where a line is, or where it would be. */
    [[nodiscard]] std::size_t search(std::uint64_t line) const
    {
        std::size_t at = place_of(line);
        while (words_.data()[at] != 0 && words_.data()[at] >> CAUSE_BITS != line) {
            at = (at + 1) & (words_.size() - 1);
        }
        return at;
    }
    /* An emptied word: what lies behind moves up as far as its place allows. */
    void close(std::size_t hole)
    {
        const std::size_t mask = words_.size() - 1;
        for (std::size_t at = (hole + 1) & mask; words_[at] != 0; at = (at + 1) & mask) {
            const std::size_t place = place_of(words_[at] >> CAUSE_BITS);
            if (((at - place) & mask) >= ((at - hole) & mask)) {
                words_[hole] = words_[at];
                hole = at;
            }
        }
        words_[hole] = 0;
    }
    void grow()
    {
        std::vector<std::uint64_t> before(words_.empty() ? LEAST : 2 * words_.size());
        before.swap(words_);
        for (const std::uint64_t word : before) {
            if (word != 0) {
                words_[search(word >> CAUSE_BITS)] = word;
            }
        }
    }

    std::vector<std::uint64_t> words_; /* a power of two */
    std::size_t n_ = 0;
};

} // namespace laxity

#endif

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The records of a program, read from the pipe of the front end and checked. */
#ifndef LAXITY_SIM_READER_HPP
#define LAXITY_SIM_READER_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace laxity {

/* A translated block: where its instructions lie. */
struct Block {
    std::uint64_t address;
    std::vector<std::uint8_t> sizes;
};

struct Access {
    std::uint64_t address;
    unsigned bytes;
    bool is_store;
};

enum class Event {
    Block,
    Access,
    JobStart,
    JobFinish,
    End
};

class Reader {
  public:
    explicit Reader(int fd) : fd_(fd) {}

    /* The next event; what belongs to it stands in block() or access(). Empty: the stream is none
     * of ours, and problem() says why. */
    std::optional<Event> next();

    /* Lets the last event, a block, come again: it has not been executed. */
    void put_back()
    {
        is_put_back_ = true;
    }

    [[nodiscard]] const Block &block() const
    {
        return blocks_[block_];
    }
    [[nodiscard]] const Access &access() const
    {
        return access_;
    }
    [[nodiscard]] const std::string &problem() const
    {
        return problem_;
    }

  private:
    bool fill();
    bool take(std::uint64_t &word);
    bool define(std::uint64_t id);
    bool skip(std::size_t n);
    bool pass_call(std::uint64_t word);

    int fd_;
    std::vector<std::uint64_t> words_;
    std::size_t at_ = 0;
    std::vector<Block> blocks_;
    std::size_t block_ = 0;
    bool is_put_back_ = false;
    Access access_{};
    std::string problem_;
};

} // namespace laxity

#endif

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The records of a program, read from its source and checked. */
#ifndef LAXITY_SIM_READER_HPP
#define LAXITY_SIM_READER_HPP

#include "harness/mark_table.h"
#include "interface/engine.h"
#include "interface/records.h"
#include "model/spaces.hpp"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace laxity {

/* By number. */
using Registers = std::bitset<LAXITY_SIM_REGISTERS>;

/* An instruction of a block, ready to be executed by one task. */
struct Step {
    std::uint64_t address;
    std::uint64_t first_line; /* that it lies in, of the task */
    std::uint64_t last_line;
    std::uint64_t offset; /* ticks after the block began, if nothing is waited for */
    Registers needs;      /* that it reads or writes */
    Registers writes;
};

/* A line that is fetched when the block is executed from its beginning, and for which step. */
struct Fetch {
    std::size_t index;
    std::uint64_t line;     /* of the task */
    std::uint64_t known_as; /* by caches */
};

/* Those that are left of a block. */
struct Fetches {
    const Fetch *next;
    const Fetch *end;
};

/* A translated block. */
struct Block {
    std::vector<Step> steps;
    std::vector<Fetch> fetches;
    std::vector<std::uint32_t> n_fetches_before; /* each step, and the end */
    std::size_t n_steps;
    std::uint64_t ticks; /* of all of them */
    Registers registers; /* that they read or write */
    const char *clock;   /* that one of them reads, or nullptr */
    std::uint64_t address;
    std::uint64_t last_address; /* of the last instruction */
    std::uint64_t end_address;

    [[nodiscard]] Fetches fetches_from(std::size_t index) const
    {
        const Fetch *const all = fetches.data();
        return {.next = all + n_fetches_before[index], .end = all + fetches.size()};
    }
};

/* What comes next in a program. */
enum class Event : std::uint8_t {
    Block,
    Access,
    JobStart,
    JobFinish,
    End, /* of the program, or of what can be understood of it */
};

/* An access, as its record has it. */
class Access {
  public:
    explicit Access(std::uint64_t word) : word_(word) {}

    /* Whether a record is one, and no mark. */
    [[nodiscard]] static bool is_one(std::uint64_t word)
    {
        return word >> LAXITY_RECORD_KIND_SHIFT == LAXITY_SIM_ACCESS && !Access{word}.is_mark();
    }

    [[nodiscard]] std::uint64_t address() const
    {
        return word_ & LAXITY_RECORD_ADDRESS_MASK;
    }
    [[nodiscard]] unsigned bytes() const
    {
        return 1U << (word_ >> LAXITY_RECORD_SIZE_SHIFT & 0xfU);
    }
    [[nodiscard]] bool is_store() const
    {
        return (word_ >> LAXITY_RECORD_STORE_SHIFT & 1U) != 0;
    }
    /* Of its instruction within the block. */
    [[nodiscard]] unsigned index() const
    {
        return word_ >> LAXITY_RECORD_INDEX_SHIFT & (LAXITY_RECORD_INSTRUCTIONS_MAX - 1);
    }
    [[nodiscard]] bool is_mark() const
    {
        constexpr std::uint64_t STORE = std::uint64_t{1} << LAXITY_RECORD_STORE_SHIFT;
        return (word_ & (LAXITY_RECORD_ADDRESS_MASK | STORE)) - (LAXITY_SIM_MARKS_ADDRESS | STORE) <
               LAXITY_MARK_TABLE_BYTES;
    }

  private:
    std::uint64_t word_;
};

/* A mark that is no border of a job, and its instruction within the block that is executed. */
struct Mark {
    std::uint32_t which; /* of harness/mark_table.h */
    std::size_t index;
};

/* Those that have been read and not taken. */
struct Words {
    const std::uint64_t *next;
    const std::uint64_t *end;
};

class Reader {
  public:
    /* Lines of the task are numbered from first_line on. */
    Reader(
        const laxity_sim_task &task, std::uint64_t first_line, const laxity_sim_platform &platform
    );

    /* What comes next; it stays there until taken. */
    [[nodiscard]] Event peek()
    {
        if (next_ != end_) {
            const std::uint64_t word = *next_;
            if (Access::is_one(word)) {
                return Event::Access;
            }
            if (word >> LAXITY_RECORD_KIND_SHIFT == LAXITY_SIM_EXECUTION &&
                is_plain(word & ID_MASK)) {
                return Event::Block;
            }
        }
        return peek_slowly();
    }

    void take()
    {
        next_++;
    }

    /* For whoever takes many: to be looked at without asking for each. */
    [[nodiscard]] Words words() const
    {
        return {.next = next_, .end = end_};
    }
    void take_until(const std::uint64_t *word)
    {
        next_ = word;
    }

    /* Of what peek() has told. */
    [[nodiscard]] Access access() const
    {
        return Access{*next_};
    }
    [[nodiscard]] std::uint64_t block_number() const
    {
        return *next_ & ID_MASK;
    }
    /* Within a job. */
    [[nodiscard]] const Block &block() const
    {
        return *blocks_.data()[block_number()];
    }

    /* Any block that is defined. */
    const Block &block_of(std::uint64_t number);

    /* Whether the next record that has been read is an execution of the block. */
    [[nodiscard]] bool comes_again(const Block &block) const
    {
        return next_ != end_ && *next_ >> LAXITY_RECORD_KIND_SHIFT == LAXITY_SIM_EXECUTION &&
               is_plain(*next_ & ID_MASK) && &this->block() == &block;
    }

    /* Takes records that are equal to the next, at most `most` of them, but for the last: what
     * follows may belong to it. Returns their number. */
    std::uint64_t take_repeats(std::uint64_t most)
    {
        const std::uint64_t *const first = next_;
        while (end_ - next_ > 1 && next_[1] == *first &&
               static_cast<std::uint64_t>(next_ - first) < most) {
            next_++;
        }
        return static_cast<std::uint64_t>(next_ - first);
    }

    /*
     * How long the job at least lasts from here on: the ticks of blocks that have been read, up to
     * the first record by which it may end. At is what it executes, least the index below which
     * the next access must not be.
     */
    std::uint64_t certain_ticks(const Block *at, std::size_t least)
    {
        if (next_ < certain_from_ || next_ >= certain_until_) {
            look_for_end(at, least);
        }
        return certain_[static_cast<std::size_t>(next_ - certain_from_)];
    }

    /* What caches know lines of the task as. */
    [[nodiscard]] const Shared &shared() const
    {
        return shared_;
    }

    /* Whether an access is a store to what the task may only read. */
    [[nodiscard]] bool is_forbidden(const Access &access) const
    {
        return access.is_store() && shared_.has(access.address(), access.bytes());
    }

    /* Whether stores to these bytes are allowed and are no marks. */
    [[nodiscard]] bool is_harmless(std::uint64_t word, std::uint64_t bytes) const
    {
        const std::uint64_t address = Access{word}.address();
        return (address + bytes <= LAXITY_SIM_MARKS_ADDRESS ||
                address >= LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_TABLE_BYTES) &&
               !shared_.has(address, bytes);
    }

    /* Whether what comes is a part of a job. */
    void set_in_job(bool is_in_job)
    {
        is_in_job_ = is_in_job;
        marks_.clear();
    }

    /* Of the job: those that peek() has passed, in their order, and nobody has taken. They belong
     * to the block before the next one that it tells of. */
    [[nodiscard]] const std::vector<Mark> &marks() const
    {
        return marks_;
    }
    void take_marks_before(std::size_t index)
    {
        std::erase_if(marks_, [index](const Mark &mark) { return mark.index < index; });
    }

    /* Why the program has ended. */
    [[nodiscard]] std::string why() const;

    /* What it does cannot be. */
    void fail(const std::string &problem)
    {
        problem_ = problem_.empty() ? "the program: " + problem : problem_;
        next_ = end_;
    }

  private:
    static constexpr std::uint64_t ID_MASK = (std::uint64_t{1} << 32U) - 1;

    /* Of a block, as its record has it. */
    struct Definition {
        std::uint64_t address = 0;
        std::vector<std::uint8_t> sizes; /* of its instructions */
        std::vector<std::uint8_t> code;
    };

    [[nodiscard]] Event peek_slowly();
    std::optional<Event> examine(std::uint64_t word);
    bool fill();
    bool take_word(std::uint64_t &word);
    bool take_bytes(std::vector<std::uint8_t> &bytes, std::size_t n);
    bool define(std::uint64_t id);
    void look_for_end(const Block *at, std::size_t least);
    [[nodiscard]] bool is_plain(std::uint64_t number) const
    {
        return number < is_plain_.size() && is_plain_.data()[number] != 0;
    }
    void
    append(Block &block, const laxity_sim_instruction &instruction, std::uint64_t address) const;
    void tell_placer(std::uint64_t word);
    void judge(std::uint64_t word);
    void pass_mark(const Access &access);

    laxity_sim_source source_;
    laxity_sim_decoder decoder_;
    laxity_sim_judge judge_;
    laxity_sim_placer placer_;
    bool is_in_job_ = false;
    std::uint64_t first_line_;
    unsigned line_shift_;
    Shared shared_;
    std::uint32_t instruction_ticks_;
    std::vector<std::uint64_t> words_;
    const std::uint64_t *next_ = nullptr; /* of the words */
    const std::uint64_t *end_ = nullptr;
    std::vector<Definition> definitions_; /* of all blocks */
    /* Likewise; those of which no job has executed anything are not there. None moves. */
    std::vector<std::unique_ptr<const Block>> blocks_;
    std::vector<std::uint8_t> is_plain_; /* likewise: it is there, and reads no clock */
    std::vector<Mark> marks_;
    /* Of each record from one to another: the ticks from it to that other one. */
    std::vector<std::uint64_t> certain_;
    const std::uint64_t *certain_from_ = nullptr;
    const std::uint64_t *certain_until_ = nullptr;
    std::string problem_;
};

} // namespace laxity

#endif

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Random programs, so small that jobs are short, and odd enough to meet all of the model. */
#ifndef LAXITY_RANDOM_PROGRAM_HPP
#define LAXITY_RANDOM_PROGRAM_HPP

#include "case.hpp"
#include "interface/engine.h"
#include "random.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

constexpr std::uint64_t LONGEST_JOB = 128; /* executions of blocks */
constexpr std::uint32_t PAGE_BYTES = 4096;
constexpr std::uint64_t CODE_ADDRESS = 0x10000;
constexpr std::uint64_t DATA_ADDRESS = 0x800000;

/* What a platform has besides; only their programs have loops, strides of single instructions, and
 * more than one page. */
struct Extras {
    bool has_branches;
    bool has_timer;
    bool has_pages;
    bool has_inclusion;
    bool has_frames;
    bool has_strides;
    bool writes_through;
};

/* What a task's words have besides, drawn on their own, so that all else is as without. */
struct Bents {
    std::vector<laxity_sim_range> shared{}; /* of its program */
    bool stores_there = false;              /* now and then, which ends the program */
    std::uint64_t lines_before = 0;         /* of data, before the border of a page; 0: as it is */
    bool stores_much = false;
    std::uint64_t piece_lines = 0; /* of data and code, that lie together; 0: as it is */
    std::uint64_t piece_pages = 0; /* from one to the next */
};

/* Makes the words of one task. */
class Writer {
  public:
    Writer(Random &random, std::uint32_t line_bytes, const Extras &extras, Bents bents);

    /* A program that has an access that cannot be, somewhere. */
    void add_wrong()
    {
        add_wrong_in_ = random_.between(1, LONGEST_JOB);
    }
    /* Executions before a job, those of the job, and a few words behind it. */
    void add_job(std::uint64_t n_executions);
    void define_all()
    {
        while (n_instructions_.size() < n_blocks_most_) {
            define();
        }
    }
    Words words;

  private:
    /* Where an instruction accesses, and how far it goes each time; most do one thing only. */
    struct Strided {
        bool is_store;
        std::uint64_t position;
        std::uint64_t stride;
    };

    void define();
    std::size_t next_block();
    /* Of a byte of data or code. */
    [[nodiscard]] std::uint64_t address_of(std::uint64_t area, std::uint64_t offset) const;
    void execute(bool has_start, bool has_finish);
    void accesses(unsigned index);
    void access(unsigned index);
    /* The first shared range that is touched, or NULL. */
    [[nodiscard]] const laxity_sim_range *
    shared_at(std::uint64_t address, std::uint64_t bytes) const;
    std::uint64_t next_address(unsigned index);
    std::uint64_t next_position(unsigned index);
    bool is_store(unsigned index);
    Strided &strided(unsigned index);

    Random &random_;
    Bents bents_;
    std::uint64_t line_bytes_;
    bool has_strides_;
    std::map<std::pair<std::size_t, unsigned>, Strided> strides_; /* by block and index */
    std::uint64_t data_bytes_;
    std::uint64_t code_bytes_;
    std::uint64_t stride_;
    std::uint64_t accesses_in_8_;
    std::uint64_t stores_in_8_;
    bool is_random_;
    bool writes_code_;
    std::uint64_t n_blocks_most_;
    bool has_loops_;
    std::uint64_t piece_bytes_ = 0; /* that lie together, across the border of two pages; 0: all */
    std::uint64_t piece_pages_ = 0; /* from one to the next */
    std::uint64_t begin_ = 0;       /* of data */
    std::uint64_t code_end_ = 0;    /* of the last block */
    std::size_t block_ = 0;         /* executed last */
    std::size_t loop_begin_ = 0;
    std::size_t loop_end_ = 0;
    std::uint64_t turns_left_ = 0;
    std::uint64_t position_ = 0;
    std::uint64_t add_wrong_in_ = 0;       /* executions; 0: nowhere */
    std::vector<unsigned> n_instructions_; /* of each block */
};

#endif

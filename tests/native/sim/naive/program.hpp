/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The words of a program as instructions (docs/simulation-model.md, section 2). */
#ifndef LAXITY_NAIVE_PROGRAM_HPP
#define LAXITY_NAIVE_PROGRAM_HPP

#include "interface/engine.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace naive {

enum class Mark {
    Start,
    Finish
};

struct Access {
    std::uint64_t address;
    std::uint64_t bytes;
    bool is_store;
    bool is_forbidden = false; /* a store into what tasks share */
};

/* An instruction as it is executed once. */
struct Instruction {
    std::uint64_t execution; /* of its block: how many were before */
    std::uint64_t address;
    laxity_sim_instruction needs;
    std::vector<Access> accesses;
    std::vector<Mark> marks;
    std::vector<std::uint32_t> others; /* marks: of phases and probes */
    bool is_last;                      /* of its block */
    bool is_border;                    /* a border of a job: it is never executed */
    bool is_end;                       /* nothing but the program's end, if it comes within a job */
};

enum class Next {
    Instruction,
    Finish,
    End
};

class Program {
  public:
    Program(const laxity_sim_task &task, std::uint32_t instruction_ticks)
        : source_(task.source), decoder_(task.decoder),
          shared_(task.shared, task.shared + task.n_shared), instruction_ticks_(instruction_ticks)
    {
    }

    /* Skips what lies before the next start mark, and its instruction; false: there is none. */
    bool begin_job();
    /* What comes next in the job. */
    Next next();
    /* Where the next execution's block lies, behind the last instruction of one; none: there is
     * none, or the program ends in the same execution. */
    std::optional<std::uint64_t> block_behind(const Instruction &last);
    /* Of the instruction that next() tells of; 0: it tells of none. */
    std::uint64_t next_address();
    /* The instruction that next() has told of, and goes behind it. */
    Instruction take();
    /* Behind the finish mark that next() has told of. */
    void finish_job();
    [[nodiscard]] bool has_stored_into_shared() const
    {
        return has_stored_into_shared_;
    }

  private:
    struct Block {
        std::uint64_t address;
        std::vector<laxity_sim_instruction> instructions;
    };

    bool take_word(std::uint64_t &word);
    bool define(std::uint64_t id);
    bool skip_call(std::uint64_t word);
    bool execute(std::uint64_t id);
    void add_access(std::uint64_t word);
    [[nodiscard]] bool touches_shared(const Access &access) const;
    [[nodiscard]] bool is_forbidden_next() const;
    void cut_forbidden(Instruction &instruction);
    bool read_execution();
    bool has_instruction();

    laxity_sim_source source_;
    laxity_sim_decoder decoder_;
    std::vector<laxity_sim_range> shared_;
    std::uint32_t instruction_ticks_;
    std::vector<Block> blocks_;
    std::deque<Instruction> instructions_;
    std::size_t behind_access_ = 0;  /* the instruction behind the last access of the execution */
    std::optional<std::size_t> end_; /* likewise, of the first access that cannot be */
    std::uint64_t n_executions_ = 0;
    std::uint64_t put_back_ = 0;
    bool has_put_back_ = false;
    bool has_ended_ = false;
    bool has_stored_into_shared_ = false; /* a job: the program has ended */
};

} // namespace naive

#endif

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A core executes one instruction after the other (docs/simulation-model.md, section 2). */
#ifndef LAXITY_SIM_CORE_HPP
#define LAXITY_SIM_CORE_HPP

#include "engine/hierarchy.hpp"
#include "engine/reader.hpp"
#include "engine/turn.hpp"
#include "interface/engine.h"
#include "model/branches.hpp"
#include "model/lost.hpp"
#include "model/memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace laxity {

/* Ticks, by what they went into. */
struct Spent {
    std::uint64_t busy = 0;
    std::array<std::uint64_t, 4> stalls{}; /* by Cause */
};

/* Where a task is in its program. It goes with the task from core to core. */
struct Position {
    const Block *block = nullptr;
    std::size_t index = 0;         /* of the next instruction */
    std::uint64_t fetched = NEVER; /* the line fetched last in this execution of the block */
};

/* A mark that a job has made, at a tick. */
struct MadeMark {
    std::uint32_t which; /* of harness/mark_table.h */
    std::uint64_t tick;
    laxity_sim_taken taken; /* by its job; the counts are its core's */
};

/* What a core executes. */
struct Execution {
    std::uint32_t task = KERNEL;
    Reader *reader = nullptr; /* nullptr: the kernel, from one task to another */
    Position *position = nullptr;
    Spent *spent = nullptr;
};

class Core {
  public:
    /* Tells by `turn` what it does next, and when. */
    Core(
        const laxity_sim_platform &platform, std::uint32_t number, Hierarchy &hierarchy, Turn &turn
    );

    /* From here on, executes; what it did before is left as it is. */
    void begin(const Execution &execution, std::uint64_t now);

    /* The kernel goes from one task to another. */
    void begin_switch(std::uint64_t now);

    /* Does nothing more. */
    void leave();

    /* Stops before its next instruction. */
    void ask_to_stop();

    /* Its counters have been read at the tick, by an interrupt before its next instruction. */
    void probe(std::uint64_t now);

    /* It has stopped. Tells whether all its loads are done; if not, its turn says when. */
    bool drain(std::uint64_t now);

    /* Does what it is to do in its turn, then goes on by itself as far as it concerns nobody else,
     * and no instruction begins at `horizon` or later. */
    void go_on(std::uint64_t horizon);

    /* A channel has decided, and still lacks the room that it waits for; of the kind that is full
     * the request of a core, `oldest`, has waited longest. */
    void wait_on(std::uint64_t now, std::uint32_t oldest);

    /* A request of the core has been settled: what it waits for may be known now. */
    void look_again();

    [[nodiscard]] bool is_asked() const
    {
        return is_asked_;
    }
    /* What its job has marked since they were forgotten. */
    [[nodiscard]] const std::vector<MadeMark> &made_marks() const
    {
        return made_marks_;
    }
    void forget_marks()
    {
        made_marks_.clear();
    }
    /* How long its task has been waiting. */
    [[nodiscard]] std::uint64_t waited(std::uint64_t now) const
    {
        return wait_ == Wait::Nothing || accessor() == KERNEL ? 0
                                                              : now - std::min(wait_since_, now);
    }

  private:
    enum class Stage : std::uint8_t {
        Boundary, /* between two instructions */
        Fetch,
        Operands,
        Lines,  /* of an access */
        Within, /* an instruction whose next access, if it has one, has not been looked at */
        Walk,   /* through the page table, before the line that the stage before is at */
        Timer,  /* the kernel, between two instructions */
        Probe,  /* likewise */
    };
    enum class Wait : std::uint8_t {
        Nothing,
        Line,    /* of a request: then it is there */
        Room,    /* of a request: then try again */
        Channel, /* likewise */
    };
    /* Where in a block a core could not go on, and what it is at there. */
    struct Reached {
        std::size_t index;
        Stage stage;
    };
    struct Part;
    struct Operand {
        std::uint64_t request;
        Registers registers;
    };

    void run(std::uint64_t horizon);
    void run_kernel();
    void interrupt();
    bool touch_kernel(std::uint32_t n_code, std::uint32_t n_data, std::uint64_t address);
    void set_timer();
    bool run_blocks(std::uint64_t horizon);
    template <bool IS_PLAIN> bool run_blocks_of(std::uint64_t horizon);
    template <bool IS_PLAIN> bool run_part(std::size_t until, std::uint64_t horizon);
    template <bool IS_PLAIN> Reached go_through(std::size_t until);
    template <bool IS_PLAIN>
    bool touch_ahead(
        Kind kind, std::uint64_t line, std::uint64_t known_as, Bytes bytes, std::uint64_t now
    );
    template <bool IS_PLAIN>
    bool fetch_ahead(Fetches &fetches, std::size_t index, std::uint64_t begun);
    template <bool IS_PLAIN> bool access_ahead(const Access &access, std::uint64_t now);
    std::size_t
    touch_again(Words &words, std::size_t least, std::size_t until, std::uint64_t begun);
    [[nodiscard]] Part part_until(std::size_t until) const;
    bool find_access(Part &part, Words &words);
    template <bool IS_PLAIN> void go_on_after_access(Part &part, Words &words);
    [[nodiscard]] static std::size_t
    next_user(const Block &block, std::size_t of, std::size_t until);
    void note_loads(const Step &step, std::uint64_t begun);
    [[nodiscard]] std::size_t
    limit_of(const Block &block, std::size_t at, std::uint64_t horizon) const;
    [[nodiscard]] bool needs_turn(bool is_new) const;
    [[nodiscard]] std::size_t limit_by_marks(std::size_t until) const;
    void advance_to(std::size_t index);
    template <bool IS_PLAIN> void end_block(const Block &block, std::uint64_t horizon);
    void make_marks(std::size_t until);
    [[nodiscard]] bool is_in_block() const
    {
        const Position &position = *execution_.position;
        return position.block != nullptr && position.index < position.block->n_steps;
    }
    void at_boundary(std::uint64_t horizon);
    bool ends_here(Event event);
    bool stop_or_pause(std::uint64_t horizon);
    void take_access(const Access &access);
    void fetch();
    void operands();
    bool find_page(Kind kind, std::uint64_t line);
    void walk();
    void lines();
    void judge_branch(const Block &block);
    bool touch_line(Kind kind, bool must_wait);
    bool touch(Kind kind, std::uint64_t line, bool must_wait);
    void wait_for_request(Wait why, std::uint64_t request);
    void wait_for_room(Channel &channel, const Room &room);
    void begin_wait_for_room(std::uint32_t oldest);
    void end_wait();
    void set_next(Next next);
    /* A core that has found room no longer goes before others for its wait. */
    [[nodiscard]] bool is_in_turn() const
    {
        return now_ == action_ && std::min(turn_.room_since, now_) == action_since_;
    }
    /* Whether another core whose turn comes first may take a line of this one. */
    [[nodiscard]] bool may_be_taken() const
    {
        return hierarchy_.is_coupling() && now_ == action_ && !is_in_turn();
    }
    /* Whose accesses are made. */
    [[nodiscard]] std::uint32_t accessor() const
    {
        return stage_ == Stage::Timer || stage_ == Stage::Probe ? KERNEL : execution_.task;
    }
    /* Of what the instruction is at. */
    [[nodiscard]] Kind kind() const
    {
        return stage_ == Stage::Fetch                ? Kind::Fetch
               : stage_ == Stage::Lines && is_store_ ? Kind::Store
                                                     : Kind::Load;
    }
    [[nodiscard]] std::uint64_t instruction() const;

    const laxity_sim_platform &platform_;
    std::uint32_t number_;
    unsigned line_shift_;
    Hierarchy &hierarchy_;
    Hierarchy::Own &own_;
    bool is_plain_; /* it has neither a predictor nor TLBs: there is less to look at */
    Branches branches_;

    Execution execution_;
    std::uint64_t now_ = 0;
    Turn &turn_;
    std::uint64_t action_ = 0;       /* the tick of what is being done */
    std::uint64_t action_since_ = 0; /* its turn's since() */
    bool is_asked_ = false;
    bool is_draining_ = false;
    bool is_paused_ = false;   /* the turn says what is to be done */
    bool is_at_limit_ = false; /* it has just gone on as far as it may by itself */

    std::vector<MadeMark> made_marks_;

    Stage stage_ = Stage::Boundary;
    std::uint64_t line_ = 0; /* the next one of the instruction, or of the access, of the task */
    std::uint64_t last_line_ = 0;
    Bytes bytes_; /* of the access */
    bool is_store_ = false;
    Stage walked_for_ = Stage::Fetch;
    Cause walk_cause_ = Cause::Own;
    std::uint64_t walk_page_ = 0;
    std::uint32_t walk_loads_ = 0;  /* that are left */
    std::vector<Operand> operands_; /* by their requests' numbers */
    Registers waiting_;             /* of all operands */
    std::uint32_t kernel_line_ = 0;
    std::uint64_t timer_tick_ = NEVER; /* before an instruction from then on it interrupts */
    bool is_probed_ = false;           /* before the next instruction the probe does */
    std::uint64_t probed_until_ = 0;   /* its last interrupt */

    Wait wait_ = Wait::Nothing;
    std::uint64_t wait_request_ = 0;
    std::uint64_t wait_since_ = 0;
    bool is_wait_shared_ = false; /* for a channel */
};

} // namespace laxity

#endif

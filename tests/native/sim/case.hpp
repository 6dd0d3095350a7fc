/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A case that both engines are run on, and what they tell of it. */
#ifndef LAXITY_CASE_HPP
#define LAXITY_CASE_HPP

#include "interface/engine.h"
#include "interface/records.h"
#include "naive/naive.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

/* The words of a program: from loop_from on they come again and again, if that is not their end. */
struct Words {
    std::vector<std::uint64_t> words;
    std::size_t loop_from = SIZE_MAX;

    void define(std::uint64_t address, const std::vector<std::uint8_t> &sizes);
    void execute(std::uint64_t block)
    {
        words.push_back(std::uint64_t{LAXITY_SIM_EXECUTION} << LAXITY_RECORD_KIND_SHIFT | block);
    }
    /* Bytes: 2 to the power of size. */
    void access(unsigned index, std::uint64_t address, unsigned size, bool is_store);
    void mark(unsigned index, unsigned which);

  private:
    std::uint64_t n_blocks_ = 0;
};

struct Case {
    laxity_sim_platform platform{};
    std::vector<laxity_sim_task> tasks; /* their sources and decoders are filled in by run() */
    std::vector<Words> programs;        /* of each */
    /* By the number of a program: run() gives them to its tasks. */
    std::map<std::uint32_t, std::vector<laxity_sim_range>> shared;
    /* Of each task, or empty: where its pages lie, each in one of these places; none: at home. */
    std::vector<std::vector<laxity_sim_place>> places;
    std::uint64_t instructions_seed =
        0; /* what registers and ticks follow from; 0: there are none */
    std::int64_t limit_ns = INT64_MAX;
    std::uint64_t stop_behind = UINT64_MAX; /* calls of the listener, from which on it says so */
    /* Who decides when jobs are released. */
    enum class Waits {
        Nobody,   /* the tasks' releases */
        Anyhow,   /* a listener, by chance */
        HandOver, /* a listener: a task goes on when the one before it has finished a job */
    };
    Waits waits = Waits::Nobody;
    std::uint64_t waits_seed = 0;
    std::int64_t sample_ns = 0; /* of a listener; 0: none */
    std::int64_t first_sample_ns = 0;
    bool interrupts = false; /* to take them */
    /* What it answers is drawn, unless it is listed. */
    struct Observer {
        struct Answer {
            std::uint64_t cores;
            std::int64_t next_ns;
        };
        std::uint64_t ticks = 0; /* 0, and nothing is listed: there is none */
        std::uint64_t seed = 0;
        std::uint64_t longest_ns = 1; /* from one tick to the next */
        std::vector<Answer> answers;
        laxity_sim_observer asked{};
    };
    Observer observer;
};

/* A call of the listener. */
struct Call {
    enum class What {
        Start,
        Finish,
        End,
        Pass,
        Wait,
        Turn,
        Sample,
        Tick
    };
    What what;
    laxity_sim_job job; /* of an end, a pass and a wait the task alone, of a turn with its core; of
                           a sample the ordinal, a sum of all its numbers in place of the job; of
                           a tick of the observer likewise, and as cores what it has answered */
    laxity_sim_end end;
    std::int64_t end_ns; /* of a wait: what was answered */
    int exit_code;
    laxity_sim_turn turn; /* at end_ns */

    [[nodiscard]] std::string text() const;
};

struct Sample {
    std::vector<laxity_sim_counts> cores;
    std::vector<laxity_sim_taken> tasks;
};

/* What a program has made in its jobs. */
struct MarkTold {
    std::uint32_t which;
    std::int64_t time_ns;
    std::uint64_t instructions; /* of the task, before it */
    std::uint64_t sum;          /* of all that the task has taken */

    bool operator==(const MarkTold &) const = default;
};

struct Told {
    std::vector<Call> calls;
    std::vector<std::vector<MarkTold>> marks; /* by task, each in its order */
    std::vector<Sample> samples;              /* the first ones */
    std::uint64_t n_samples = 0;
    std::uint64_t sum_of_rest = 0; /* of those that are too many for calls */
    laxity_sim_totals totals{};
    naive::Features features{}; /* of the naive engine alone */
};

Told run_engine(const Case &asked);
Told run_naive(const Case &asked);

inline std::string number(const char *name, std::uint64_t value)
{
    return " " + std::string{name} + " " + std::to_string(value);
}

/* The names and values of counts, for comparisons and messages. */
struct Count {
    std::string name;
    std::uint64_t value;
};
std::vector<Count> counts_of(const laxity_sim_counts &counts);

/* Empty: both tell the same. */
std::string first_difference(const Told &engine, const Told &naive);

/* The same for a seed everywhere. */
Case random_case(std::uint64_t seed);
/* Likewise, shaped like the platform sabrelite. */
Case board_case(std::uint64_t seed);

/* What the case is, in a few lines. */
std::string describe(const Case &asked);

#endif

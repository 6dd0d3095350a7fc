/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Made-up programs by their words: what each loop executes, and which addresses it accesses. */
#include "../test.h"
#include "harness/mark_table.h"
#include "interface/builtin.h"
#include "interface/engine.h"
#include "interface/records.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

constexpr std::uint64_t START = LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_JOB_START;
constexpr std::uint64_t FINISH = LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_JOB_FINISH;
constexpr std::uint64_t BASE = 0x100000000;

laxity_sim_loop
loop_of(laxity_sim_body body, std::uint64_t n, std::uint64_t address, std::uint64_t step_bytes)
{
    laxity_sim_loop loop{};
    loop.body = body;
    loop.n = n;
    loop.address = address;
    loop.step_bytes = step_bytes;
    return loop;
}

struct Access {
    std::uint64_t address;
    unsigned bytes;
    bool is_store;
    unsigned instruction;
};

/* One job, taken apart. */
struct Job {
    std::vector<Access> accesses;      /* with the marks */
    std::vector<std::uint64_t> blocks; /* addresses, as executed */
    std::uint64_t instructions = 0;
};

class Program {
  public:
    ~Program()
    {
        laxity_sim_stream_free(stream_);
    }

    Job job_of(const std::vector<laxity_sim_loop> &loops, std::size_t at_once = 100)
    {
        laxity_sim_stream_put(stream_, loops.data(), loops.size());
        const laxity_sim_source source = laxity_sim_stream_source(stream_);
        std::vector<std::uint64_t> words;
        std::vector<std::uint64_t> part(at_once);
        while (words.empty() || !is_idle(words)) {
            const std::size_t n = source.read(source.context, part.data(), part.size());
            words.insert(words.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(n));
        }
        return parse(words);
    }

  private:
    /* What ends a job's words is the execution of a block that is nobody's. */
    static bool is_idle(const std::vector<std::uint64_t> &words)
    {
        return words.size() > 1 && words.back() >> LAXITY_RECORD_KIND_SHIFT == 1 &&
               has_finished(words);
    }

    static bool has_finished(const std::vector<std::uint64_t> &words)
    {
        for (const std::uint64_t word : words) {
            if ((word & LAXITY_RECORD_ADDRESS_MASK) == FINISH &&
                word >> LAXITY_RECORD_KIND_SHIFT == 0) {
                return true;
            }
        }
        return false;
    }

    Job parse(const std::vector<std::uint64_t> &words)
    {
        Job job;
        for (std::size_t i = 0; i < words.size(); i++) {
            const std::uint64_t word = words[i];
            const auto id = static_cast<std::size_t>(word & 0xffffffffU);
            switch (word >> LAXITY_RECORD_KIND_SHIFT) {
            case LAXITY_SIM_BLOCK: {
                CHECK_EQUAL(id, addresses_.size());
                const std::size_t n = words[i + 2];
                addresses_.push_back(words[i + 1]);
                sizes_.push_back(n);
                i += 2 + (n + 7) / 8 + (4 * n + 7) / 8;
                break;
            }
            case LAXITY_SIM_EXECUTION:
                job.blocks.push_back(addresses_[id]);
                job.instructions += sizes_[id];
                break;
            default:
                job.accesses.push_back(
                    {.address = word & LAXITY_RECORD_ADDRESS_MASK,
                     .bytes = 1U << (word >> LAXITY_RECORD_SIZE_SHIFT & 0xfU),
                     .is_store = (word >> LAXITY_RECORD_STORE_SHIFT & 1U) != 0,
                     .instruction =
                         static_cast<unsigned>(word >> LAXITY_RECORD_INDEX_SHIFT & 0x1ffU)}
                );
            }
        }
        return job;
    }

    laxity_sim_stream *stream_ = laxity_sim_stream_new();
    std::vector<std::uint64_t> addresses_;
    std::vector<std::uint64_t> sizes_;
};

void job_lies_between_its_marks(void)
{
    Program program;
    const Job job = program.job_of({});
    CHECK_EQUAL(job.accesses.size(), 2);
    CHECK_EQUAL(job.accesses[0].address, START);
    CHECK_EQUAL(job.accesses[1].address, FINISH);
    /* One instruction waits for the loads before it; the mark is the next one, so it is executed.
     */
    CHECK_EQUAL(job.accesses[1].instruction, 1);
}

void walk_reads_a_byte_and_writes_the_next_one(void)
{
    Program program;
    const Job job = program.job_of({loop_of(LAXITY_SIM_WALK, 3, BASE, 32)});
    CHECK_EQUAL(job.accesses.size(), 2 + 2 * 3);
    for (std::uint64_t i = 0; i < 3; i++) {
        const Access &load = job.accesses[1 + 2 * i];
        const Access &store = job.accesses[2 + 2 * i];
        CHECK_EQUAL(load.address, BASE + 32 * i);
        CHECK_EQUAL(store.address, BASE + 32 * i + 1);
        CHECK(!load.is_store && store.is_store);
        CHECK(load.bytes == 1 && store.bytes == 1);
    }
    /* A load, a store, an addition and a branch each; start, two of the finish, one behind it. */
    CHECK_EQUAL(job.instructions, 4 * 3 + 1 + 2 + 1);
}

void chase_goes_in_the_order_that_it_is_given(void)
{
    Program program;
    const std::array<std::uint32_t, 3> order{0, 2, 1};
    laxity_sim_loop loop = loop_of(LAXITY_SIM_CHASE, order.size(), BASE, 64);
    loop.order = order.data();
    const Job job = program.job_of({loop});
    /* A count that is read and written, and the next line. */
    CHECK_EQUAL(job.accesses.size(), 2 + 3 * 3);
    for (std::size_t i = 0; i < order.size(); i++) {
        CHECK_EQUAL(job.accesses[1 + 3 * i].address, BASE + 64ULL * order[i] + 4);
        CHECK(job.accesses[2 + 3 * i].is_store);
        CHECK_EQUAL(job.accesses[3 + 3 * i].address, BASE + 64ULL * order[i]);
    }
}

void elements_that_do_not_fill_a_block_are_not_lost(void)
{
    Program program;
    /* 16 elements are executed in a block: two whole ones, and 5 in a shorter one. */
    const Job job = program.job_of({loop_of(LAXITY_SIM_TOUCH, 37, BASE, 32)});
    CHECK_EQUAL(job.accesses.size(), 2 + 37);
    CHECK_EQUAL(job.accesses[37].address, BASE + std::uint64_t{32} * 36);
    CHECK_EQUAL(job.instructions, 3 * 37 + 1 + 2 + 1);
    /* The last element of a whole block is its sixteenth. */
    CHECK_EQUAL(job.accesses[16].instruction, 15U * 3U);
}

void copy_reads_there_and_writes_here(void)
{
    Program program;
    laxity_sim_loop loop = loop_of(LAXITY_SIM_STREAM_COPY, 2, BASE, 64);
    loop.second = BASE + 4096;
    const Job job = program.job_of({loop});
    CHECK_EQUAL(job.accesses.size(), 2 + 2 * 8);
    const Access &load = job.accesses[9];
    const Access &store = job.accesses[10];
    CHECK(!load.is_store && store.is_store && load.bytes == 16 && store.bytes == 16);
    CHECK_EQUAL(load.address, BASE + 4096 + 64);
    CHECK_EQUAL(store.address, BASE + 64);
}

void line_of_code_is_executed_where_it_lies(void)
{
    Program program;
    laxity_sim_loop loop = loop_of(LAXITY_SIM_EXECUTE, 2, 2 * BASE, 64);
    loop.instructions = 16;
    const Job job = program.job_of({loop});
    CHECK_EQUAL(job.accesses.size(), 2);
    CHECK_EQUAL(job.blocks[1], 2 * BASE);
    CHECK_EQUAL(job.blocks[2], 2 * BASE + 64);
    CHECK_EQUAL(job.instructions, 2 * 16 + 1 + 2 + 1);
}

void next_job_is_read_only_when_it_is_put(void)
{
    Program program;
    const std::vector<laxity_sim_loop> loops{loop_of(LAXITY_SIM_UPDATE, 50, BASE, 32)};
    const Job first = program.job_of(loops);
    /* In other parts, and its blocks are known already: the same accesses. */
    const Job second = program.job_of(loops, 7);
    CHECK_EQUAL(first.accesses.size(), second.accesses.size());
    CHECK_EQUAL(first.instructions, second.instructions);
    CHECK_EQUAL(second.accesses[1].address, BASE);
}

/* Ticks of the instructions of a spin, as decoded from its blocks. */
std::uint64_t ticks_of_spin(std::uint64_t ticks)
{
    laxity_sim_stream *stream = laxity_sim_stream_new();
    const laxity_sim_loop loop = loop_of(LAXITY_SIM_SPIN, ticks, 0, 0);
    laxity_sim_stream_put(stream, &loop, 1);
    const laxity_sim_source source = laxity_sim_stream_source(stream);
    const laxity_sim_decoder decoder = laxity_sim_stream_decoder();
    std::vector<std::uint64_t> words(1000);
    words.resize(source.read(source.context, words.data(), words.size()));
    std::vector<std::uint64_t> taken;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < words.size(); i++) {
        if (words[i] >> LAXITY_RECORD_KIND_SHIFT == LAXITY_SIM_BLOCK) {
            std::vector<laxity_sim_instruction> decoded(words[i + 2]);
            const auto *code = reinterpret_cast<const std::uint8_t *>(&words[i + 4]);
            decoder.decode(
                decoder.context,
                words[i + 1],
                code,
                decoded.data(),
                static_cast<std::uint32_t>(decoded.size())
            );
            taken.push_back(decoded[0].ticks);
            i += 4;
        } else if (words[i] >> LAXITY_RECORD_KIND_SHIFT == LAXITY_SIM_EXECUTION) {
            sum += taken[words[i] & 0xffffffffU];
        }
    }
    laxity_sim_stream_free(stream);
    return sum;
}

void spin_takes_the_ticks_that_it_is_told(void)
{
    CHECK_EQUAL(ticks_of_spin(1), 1);
    /* An instruction takes 60000 ticks at most. */
    CHECK_EQUAL(ticks_of_spin(60000), 60000);
    CHECK_EQUAL(ticks_of_spin(60001), 60001);
    CHECK_EQUAL(ticks_of_spin(200003), 200003);
}

} // namespace

int main()
{
    RUN(job_lies_between_its_marks);
    RUN(walk_reads_a_byte_and_writes_the_next_one);
    RUN(chase_goes_in_the_order_that_it_is_given);
    RUN(elements_that_do_not_fill_a_block_are_not_lost);
    RUN(copy_reads_there_and_writes_here);
    RUN(line_of_code_is_executed_where_it_lies);
    RUN(next_job_is_read_only_when_it_is_put);
    RUN(spin_takes_the_ticks_that_it_is_told);
    return test_exit_code();
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "builtin/bodies.hpp"
#include "harness/mark_table.h"
#include "interface/builtin.h"
#include "interface/engine.h"
#include "interface/records.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <unordered_map>
#include <vector>

namespace {

using laxity::Body;
using laxity::Coded;

/* Where code of the loops lies: that of each body in pages of its own. */
constexpr std::uint64_t CODE_ADDRESS = 0x10000;
constexpr std::uint64_t BODY_BYTES = 4096;
/* Of a key of a block, below what tells blocks of one body apart. */
constexpr unsigned BODY_BITS = 8;
/* The longest that one instruction takes. */
constexpr std::uint64_t LONGEST_TICKS = 60000;
constexpr std::uint64_t MARK_BIT = std::uint64_t{1} << LAXITY_RECORD_STORE_SHIFT;

/* Blocks that are not part of a loop, behind those that are. */
enum class Border : std::uint8_t {
    Start = LAXITY_SIM_BODIES,
    Finish,
    Idle
};

constexpr std::uint64_t code_of(unsigned body)
{
    return CODE_ADDRESS + body * BODY_BYTES;
}

constexpr std::uint64_t word_of(laxity_sim_record kind, std::uint64_t value)
{
    return static_cast<std::uint64_t>(kind) << LAXITY_RECORD_KIND_SHIFT | value;
}

} // namespace

struct laxity_sim_stream {
  public:
    void put(std::span<const laxity_sim_loop> loops)
    {
        loops_.assign(loops.begin(), loops.end());
        loop_ = 0;
        element_ = 0;
        has_started_ = false;
        has_job_ = true;
    }

    std::size_t read(std::span<std::uint64_t> out);

  private:
    void produce();
    void produce_elements(const laxity_sim_loop &loop);
    void produce_group(const laxity_sim_loop &loop, const Body &body, unsigned n);
    void produce_border(Border border, unsigned instruction, std::uint64_t mark);
    void produce_line(const laxity_sim_loop &loop);
    void produce_wait(std::uint64_t ticks);
    bool execute(std::uint64_t key);
    void define(std::uint64_t key, std::uint64_t address, std::span<const Coded> code);

    std::vector<std::uint64_t> words_;
    std::size_t at_ = 0;
    std::unordered_map<std::uint64_t, std::uint32_t> blocks_;
    std::uint64_t key_ = UINT64_MAX; /* of what was executed last */
    std::uint32_t id_ = 0;
    std::vector<laxity_sim_loop> loops_;
    std::size_t loop_ = 0;
    std::uint64_t element_ = 0; /* of that loop */
    bool has_started_ = false;
    bool has_job_ = false;
};

/* A job's last words are the last that are returned then: the next one may not be known yet. */
std::size_t laxity_sim_stream::read(std::span<std::uint64_t> out)
{
    std::size_t n = 0;
    while (n < out.size() && (at_ < words_.size() || has_job_ || n == 0)) {
        if (at_ == words_.size()) {
            words_.clear();
            at_ = 0;
            produce();
        }
        const std::size_t part = std::min(out.size() - n, words_.size() - at_);
        std::ranges::copy(std::span{words_}.subspan(at_, part), out.subspan(n).begin());
        at_ += part;
        n += part;
    }
    return n;
}

void laxity_sim_stream::produce()
{
    if (!has_job_) {
        produce_border(Border::Idle, 0, 0);
        return;
    }
    if (!has_started_) {
        produce_border(Border::Start, 0, LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_JOB_START);
        has_started_ = true;
    }
    while (loop_ < loops_.size() && words_.size() < LAXITY_RECORD_WORDS) {
        const laxity_sim_loop &loop = loops_[loop_];
        if (element_ < loop.n) {
            produce_elements(loop);
            continue;
        }
        loop_++;
        element_ = 0;
    }
    if (loop_ == loops_.size()) {
        produce_border(Border::Finish, 1, LAXITY_SIM_MARKS_ADDRESS + LAXITY_MARK_JOB_FINISH);
        produce_border(Border::Idle, 0, 0); /* so that the block before it is known to be whole */
        has_job_ = false;
    }
}

/* The instructions of the borders: whoever takes a time waits for the loads before. */
void laxity_sim_stream::produce_border(Border border, unsigned instruction, std::uint64_t mark)
{
    static constexpr std::array CODE{Coded{.reads = laxity::ALL_REGISTERS}, Coded{}};
    const auto number = static_cast<unsigned>(border);
    if (!execute(number)) {
        define(number, code_of(number), std::span{CODE}.last(border == Border::Finish ? 2 : 1));
    }
    if (mark != 0) {
        words_.push_back(word_of(
            LAXITY_SIM_ACCESS,
            mark | MARK_BIT | std::uint64_t{instruction} << LAXITY_RECORD_INDEX_SHIFT
        ));
    }
}

void laxity_sim_stream::produce_elements(const laxity_sim_loop &loop)
{
    if (loop.body == LAXITY_SIM_SPIN) {
        const std::uint64_t ticks = std::min(loop.n - element_, LONGEST_TICKS);
        produce_wait(ticks);
        element_ += ticks;
        return;
    }
    if (loop.body == LAXITY_SIM_EXECUTE) {
        produce_line(loop);
        element_++;
        return;
    }
    const Body &body = laxity::body_of(loop.body);
    const auto n = static_cast<unsigned>(std::min<std::uint64_t>(loop.n - element_, body.unrolled));
    produce_group(loop, body, n);
    element_ += n;
}

void laxity_sim_stream::produce_wait(std::uint64_t ticks)
{
    const std::uint64_t key = ticks << BODY_BITS | LAXITY_SIM_SPIN;
    if (!execute(key)) {
        const std::array code{Coded{.ticks = static_cast<std::uint16_t>(ticks)}};
        define(key, code_of(LAXITY_SIM_SPIN), code);
    }
}

void laxity_sim_stream::produce_line(const laxity_sim_loop &loop)
{
    static constexpr std::array<Coded, LAXITY_RECORD_INSTRUCTIONS_MAX> CODE{};
    const std::uint64_t address = loop.address + element_ * loop.step_bytes;
    const std::uint64_t key = address << BODY_BITS | LAXITY_SIM_EXECUTE;
    if (!execute(key)) {
        define(key, address, std::span{CODE}.first(loop.instructions));
    }
}

void laxity_sim_stream::produce_group(const laxity_sim_loop &loop, const Body &body, unsigned n)
{
    const std::uint64_t key = std::uint64_t{n} << BODY_BITS | loop.body;
    if (!execute(key)) {
        define(key, code_of(loop.body), body.code(n));
    }
    for (unsigned k = 0; k < n; k++) {
        const std::uint64_t i = element_ + k;
        const std::uint64_t step = loop.order == nullptr ? i : loop.order[i];
        const std::array from{
            loop.address + step * loop.step_bytes, loop.second + i * body.second_step
        };
        for (const laxity::Touch &touch : body.touches) {
            const std::uint64_t index = k * body.instructions.size() + touch.instruction;
            words_.push_back(word_of(
                LAXITY_SIM_ACCESS,
                (from[touch.is_second ? 1 : 0] + touch.offset) |
                    std::uint64_t{touch.size_log} << LAXITY_RECORD_SIZE_SHIFT |
                    (touch.is_store ? MARK_BIT : 0) | index << LAXITY_RECORD_INDEX_SHIFT
            ));
        }
    }
}

/* Returns false if the block is not defined yet. */
bool laxity_sim_stream::execute(std::uint64_t key)
{
    if (key != key_) {
        const auto place = blocks_.find(key);
        if (place == blocks_.end()) {
            return false;
        }
        key_ = key;
        id_ = place->second;
    }
    words_.push_back(word_of(LAXITY_SIM_EXECUTION, id_));
    return true;
}

/* And executes it. */
void laxity_sim_stream::define(
    std::uint64_t key, std::uint64_t address, std::span<const Coded> code
)
{
    constexpr std::size_t WORD = sizeof(std::uint64_t);
    const auto id = static_cast<std::uint32_t>(blocks_.size());
    blocks_.emplace(key, id);
    words_.push_back(word_of(LAXITY_SIM_BLOCK, id));
    words_.push_back(address);
    words_.push_back(code.size());
    const std::size_t size_words = (code.size() + WORD - 1) / WORD;
    const std::size_t code_words = (code.size_bytes() + WORD - 1) / WORD;
    const std::size_t at = words_.size();
    words_.resize(at + size_words + code_words);
    std::memset(&words_[at], static_cast<int>(sizeof(Coded)), code.size());
    std::memcpy(&words_[at + size_words], code.data(), code.size_bytes());
    (void)execute(key);
}

namespace {

std::size_t read_stream(void *context, std::uint64_t *words, std::size_t n)
{
    return static_cast<laxity_sim_stream *>(context)->read({words, n});
}

const char *why_ended(void * /*context*/)
{
    return "it has no end";
}

void decode(
    void * /*context*/,
    std::uint64_t /*address*/,
    const std::uint8_t *code,
    laxity_sim_instruction *instructions,
    std::uint32_t n_instructions
)
{
    for (std::uint32_t i = 0; i < n_instructions; i++) {
        Coded one;
        std::memcpy(&one, code + i * sizeof one, sizeof one);
        laxity::decode(one, instructions[i]);
    }
}

} // namespace

laxity_sim_stream *laxity_sim_stream_new()
{
    return new (std::nothrow) laxity_sim_stream;
}

void laxity_sim_stream_free(laxity_sim_stream *stream)
{
    delete stream;
}

void laxity_sim_stream_put(laxity_sim_stream *stream, const laxity_sim_loop *loops, std::size_t n)
{
    stream->put({loops, n});
}

laxity_sim_source laxity_sim_stream_source(laxity_sim_stream *stream)
{
    return {.context = stream, .read = read_stream, .why = why_ended};
}

laxity_sim_decoder laxity_sim_stream_decoder()
{
    return {.context = nullptr, .decode = decode};
}

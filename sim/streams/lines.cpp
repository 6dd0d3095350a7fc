/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "streams/lines.hpp"

#include "engine/reader.hpp"
#include "interface/engine.h"
#include "interface/storage.h"
#include "streams/file.hpp"
#include "streams/stored.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace laxity {

namespace {

constexpr std::size_t ALL = LAXITY_SIM_STORAGE_CLASSES;

enum Touch : std::uint8_t {
    READ = 1,
    WRITTEN = 2,
};

/* A line that belongs to two classes stands in both. */
struct Place {
    std::uint64_t line;
    std::size_t is;

    bool operator==(const Place &) const = default;
};

struct HashPlace {
    std::size_t operator()(const Place &place) const
    {
        return place.line * LAXITY_SIM_STORAGE_CLASSES + place.is;
    }
};

using Places = std::unordered_map<Place, std::uint8_t, HashPlace>;

void add(Touched &to, std::uint8_t touches)
{
    to.read += (touches & READ) != 0 ? 1 : 0;
    to.written += (touches & WRITTEN) != 0 ? 1 : 0;
    to.lines++;
}

TouchedByClass count(const Places &places, std::uint64_t lines_per_page)
{
    TouchedByClass counts{};
    std::unordered_map<std::uint64_t, std::uint8_t> lines;
    std::array<std::unordered_set<std::uint64_t>, ALL + 1> pages;
    for (const auto &[place, touches] : places) {
        add(counts.at(place.is), touches);
        lines[place.line] |= touches;
        pages.at(place.is).insert(place.line / lines_per_page);
        pages[ALL].insert(place.line / lines_per_page);
    }
    for (const auto &[line, touches] : lines) {
        add(counts[ALL], touches);
    }
    for (std::size_t is = 0; is <= ALL; is++) {
        counts.at(is).pages = pages.at(is).size();
    }
    return counts;
}

void raise(TouchedByClass &largest, const TouchedByClass &counts)
{
    for (std::size_t is = 0; is <= ALL; is++) {
        Touched &to = largest.at(is);
        const Touched &one = counts.at(is);
        to.read = std::max(to.read, one.read);
        to.written = std::max(to.written, one.written);
        to.lines = std::max(to.lines, one.lines);
        to.pages = std::max(to.pages, one.pages);
    }
}

class Counter {
  public:
    Counter(const laxity_sim_storage *storage, std::uint32_t line_bytes)
        : storage_(storage), line_bytes_(line_bytes)
    {
    }

    /* Its instructions are counted when it is known how many of them are the job's. */
    void begin_block(const Block &block)
    {
        end_block(block_ != nullptr ? block_->steps.size() : 0);
        block_ = &block;
        from_ = 0;
    }

    void access(const Access &access)
    {
        if (is_in_job_) {
            touch(access.address(), access.bytes(), access.is_store() ? WRITTEN : READ);
        }
    }

    void start_job(std::size_t index)
    {
        is_in_job_ = true;
        lines_.jobs++;
        from_ = index + 1;
    }

    void finish_job(std::size_t index)
    {
        end_block(index + 1);
        from_ = index + 1;
        is_in_job_ = false;
        raise(lines_.largest, count(job_, STORAGE_PAGE_BYTES / line_bytes_));
        for (const auto &[place, touches] : job_) {
            all_[place] |= touches;
        }
        job_.clear();
        executed_.clear();
    }

    [[nodiscard]] Lines lines()
    {
        lines_.all = count(all_, STORAGE_PAGE_BYTES / line_bytes_);
        return lines_;
    }

  private:
    void end_block(std::size_t end)
    {
        if (!is_in_job_ || block_ == nullptr) {
            return;
        }
        const bool is_whole = from_ == 0 && end == block_->steps.size();
        if (is_whole && !executed_.insert(block_).second) {
            return;
        }
        for (std::size_t i = from_; i < std::min(end, block_->steps.size()); i++) {
            const bool is_last = i + 1 == block_->steps.size();
            const std::uint64_t address = block_->steps[i].address;
            const std::uint64_t next = is_last ? block_->end_address : block_->steps[i + 1].address;
            touch(address, next - address, READ);
        }
    }

    void touch(std::uint64_t address, std::uint64_t bytes, Touch how)
    {
        const auto is = static_cast<std::size_t>(laxity_sim_storage_of(storage_, address));
        const std::uint64_t last = (address + bytes - 1) / line_bytes_;
        for (std::uint64_t line = address / line_bytes_; line <= last; line++) {
            job_[{.line = line, .is = is}] |= how;
        }
    }

    const laxity_sim_storage *storage_;
    std::uint64_t line_bytes_;
    bool is_in_job_ = false;
    const Block *block_ = nullptr;               /* that is executed */
    std::size_t from_ = 0;                       /* its first instruction that is not counted yet */
    std::unordered_set<const Block *> executed_; /* whole, by the job */
    Places job_;
    Places all_;
    Lines lines_{};
};

std::size_t read_stored(void *context, std::uint64_t *words, std::size_t n)
{
    return static_cast<Stored *>(context)->read(words, n);
}

const char *tell_problem(void *context)
{
    return static_cast<Stored *>(context)->problem().c_str();
}

void take_call_word(void *context, std::uint64_t word)
{
    laxity_sim_storage_take(static_cast<laxity_sim_storage *>(context), word);
}

} // namespace

std::string
count_lines(Stored &stored, laxity_sim_storage *storage, std::uint32_t line_bytes, Lines &out_lines)
{
    laxity_sim_platform platform{};
    platform.line_bytes = line_bytes;
    laxity_sim_task task{};
    task.source = {.context = &stored, .read = read_stored, .why = tell_problem};
    task.placer = {.context = storage, .place = nullptr, .on_word = take_call_word};
    Reader reader{task, 0, platform};
    Counter counter{storage, line_bytes};
    for (Event event = reader.peek(); event != Event::End; event = reader.peek()) {
        switch (event) {
        case Event::Block:
            counter.begin_block(reader.block_of(reader.block_number()));
            break;
        case Event::Access:
            counter.access(reader.access());
            break;
        case Event::JobStart:
            counter.start_job(reader.access().index());
            break;
        default:
            counter.finish_job(reader.access().index());
        }
        reader.take();
    }
    out_lines = counter.lines();
    return reader.why();
}

} // namespace laxity

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What a core has asked for (docs/simulation-model.md, section 3). */
#ifndef LAXITY_SIM_REQUESTS_HPP
#define LAXITY_SIM_REQUESTS_HPP

#include "model/lost.hpp"
#include "model/memory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace laxity {

enum class Kind : std::uint8_t {
    Fetch,
    Load,
    Store,
};

struct Request {
    std::uint64_t number = 0;
    std::uint64_t line = 0;
    std::uint64_t at = 0;       /* its number in memory */
    std::uint32_t instance = 0; /* of memory */
    std::uint32_t task = 0;
    Kind kind = Kind::Fetch;
    Cause cause = Cause::Own;
    bool is_merging = false;
    std::uint64_t written = 0;       /* of a merging one: the bytes of the line, as bits */
    std::uint64_t done = NEVER;      /* NEVER: not known yet */
    std::uint64_t read = NO_READ;    /* that has to be decided before that is known */
    std::uint64_t earliest = 0;      /* not done before, whenever that is */
    std::uint64_t pending_until = 0; /* before it, it is not done in any case */
    std::uint64_t held_up = 0;       /* of what is waited for it so much goes to other cores */
    std::uint64_t away = 0;          /* and so much, behind that, to the task's own move */
    std::uint64_t wish = 0;          /* the line that its instruction will ask for; its own: none */
};

/* Of one core, in the order of their numbers. Those that are done are forgotten. */
class Requests {
  public:
    [[nodiscard]] bool is_empty() const
    {
        return all_.empty();
    }
    [[nodiscard]] std::vector<Request> &all()
    {
        return all_;
    }

    /* The next one. */
    Request &make(Kind kind, std::uint64_t line)
    {
        n_of_kind(kind)++;
        lines_ |= bit_of(line);
        Request &request = all_.emplace_back();
        request.number = n_made_++;
        request.line = line;
        request.kind = kind;
        return request;
    }

    /* It is known when a request is done. */
    void set_done(Request &request, std::uint64_t done)
    {
        request.done = done;
        first_done_ = std::min(first_done_, done);
    }

    /* Likewise, as its read is decided. */
    void settle(Request &request, const Read &read)
    {
        request.read = NO_READ;
        if (read.done > request.earliest) {
            request.held_up = read.held_up;
            request.away = read.away;
        }
        set_done(request, std::max(read.done, request.earliest));
    }
    void settle_all(const Read &read)
    {
        for (Request &request : all_) {
            if (request.read == read.number) {
                settle(request, read);
            }
        }
    }

    void forget_done(std::uint64_t now)
    {
        if (now >= first_done_) {
            forget(now);
        }
    }

    /* nullptr: it was done and is forgotten. */
    [[nodiscard]] Request *find(std::uint64_t number)
    {
        const auto request = std::ranges::find(all_, number, &Request::number);
        return request == all_.end() ? nullptr : &*request;
    }

    /* Of a line, the last one that is not done; nullptr: there is none. */
    [[nodiscard]] Request *outstanding(std::uint64_t line, std::uint64_t now)
    {
        if ((lines_ & bit_of(line)) == 0) {
            return nullptr; /* most times */
        }
        for (std::size_t i = all_.size(); i-- > 0;) {
            Request &request = all_.data()[i];
            if (request.line == line && request.done > now) {
                return &request;
            }
        }
        return nullptr;
    }

    /* How many there are of a kind, and the first of them. */
    [[nodiscard]] std::uint32_t count(Kind kind) const
    {
        return n_[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] Request &first(Kind kind)
    {
        return *std::ranges::find(all_, kind, &Request::kind);
    }

  private:
    /* Neighbours have bits of their own. */
    [[nodiscard]] static std::uint64_t bit_of(std::uint64_t line)
    {
        return std::uint64_t{1} << line % 64;
    }
    [[nodiscard]] std::uint32_t &n_of_kind(Kind kind)
    {
        return n_[static_cast<std::size_t>(kind)];
    }
    void forget(std::uint64_t now)
    {
        lines_ = 0;
        first_done_ = NEVER;
        std::erase_if(all_, [this, now](const Request &one) {
            if (one.done <= now) {
                n_of_kind(one.kind)--;
                return true;
            }
            lines_ |= bit_of(one.line);
            first_done_ = std::min(first_done_, one.done);
            return false;
        });
    }

    std::vector<Request> all_;
    std::uint64_t n_made_ = 0;
    std::uint64_t first_done_ = NEVER; /* the earliest that is known */
    std::uint64_t lines_ = 0;          /* of all, as bits */
    std::array<std::uint32_t, 3> n_{}; /* by kind */
};

} // namespace laxity

#endif

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "smaller_case.hpp"

#include "case.hpp"
#include "interface/records.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <vector>

namespace {

using Fails = std::function<bool(const Case &)>;

/* Applies a change to the case if the changed case fails, too. */
bool try_change(Case &failing, const Fails &fails, const std::function<void(Case &)> &change)
{
    Case changed = failing;
    change(changed);
    if (!fails(changed)) {
        return false;
    }
    failing = changed;
    return true;
}

bool has_jobs(const Case &made)
{
    return std::ranges::any_of(made.tasks, [](const laxity_sim_task &task) {
        return !task.is_corunner;
    });
}

bool remove_tasks(Case &failing, const Fails &fails)
{
    bool is_changed = false;
    for (std::size_t i = failing.tasks.size(); i-- > 0;) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        /* A case without jobs has no end. */
        const auto fails_with_jobs = [&fails](const Case &changed) {
            return has_jobs(changed) && fails(changed);
        };
        is_changed |= try_change(failing, fails_with_jobs, [at](Case &changed) {
            changed.tasks.erase(changed.tasks.begin() + at);
            changed.programs.erase(changed.programs.begin() + at);
            if (!changed.places.empty()) {
                changed.places.erase(changed.places.begin() + at);
            }
        });
    }
    return is_changed;
}

/* First words of executions. Definitions of blocks are never removed: every execution that is left
 * names a block that is defined. */
std::vector<std::size_t> executions_of(const std::vector<std::uint64_t> &words)
{
    constexpr std::uint64_t EACH = sizeof(std::uint64_t);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < words.size();) {
        const std::uint64_t kind = words[i] >> LAXITY_RECORD_KIND_SHIFT;
        if (kind == LAXITY_SIM_EXECUTION) {
            found.push_back(i);
        }
        if (kind != LAXITY_SIM_BLOCK) {
            i++;
            continue;
        }
        if (i + 2 >= words.size()) {
            break; /* the words have been cut */
        }
        const std::uint64_t n = words[i + 2];
        std::uint64_t code_bytes = 0;
        for (std::uint64_t k = 0; k < n && i + 3 + k / EACH < words.size(); k++) {
            code_bytes += words[i + 3 + k / EACH] >> k % EACH * 8 & 0xffU;
        }
        i += 3 + (n + EACH - 1) / EACH + (code_bytes + EACH - 1) / EACH;
    }
    return found;
}

/* End of an execution and its accesses. */
std::size_t end_of(const std::vector<std::uint64_t> &words, std::size_t execution)
{
    std::size_t end = execution + 1;
    while (end < words.size() &&
           words[end] >> LAXITY_RECORD_KIND_SHIFT == std::uint64_t{LAXITY_SIM_ACCESS}) {
        end++;
    }
    return end;
}

/* Without n executions from the first one on; a loop keeps one at least. */
Words without(const Words &from, std::size_t first, std::size_t n)
{
    const std::vector<std::size_t> executions = executions_of(from.words);
    const std::size_t last = std::min(first + n, executions.size());
    Words made = from;
    for (std::size_t i = last; i-- > first;) {
        const auto begin = static_cast<std::ptrdiff_t>(executions[i]);
        const auto end = static_cast<std::ptrdiff_t>(end_of(made.words, executions[i]));
        made.words.erase(made.words.begin() + begin, made.words.begin() + end);
    }
    return from.loop_from < made.words.size() || from.loop_from == SIZE_MAX ? made : from;
}

/* Halves, quarters and so on, down to single executions. */
bool remove_executions(Case &failing, const Fails &fails, std::size_t task)
{
    bool is_changed = false;
    const std::size_t all = executions_of(failing.programs[task].words).size();
    for (std::size_t n = (all + 1) / 2; n > 0; n /= 2) {
        std::size_t first = 0;
        while (first < executions_of(failing.programs[task].words).size()) {
            const Words fewer = without(failing.programs[task], first, n);
            const bool is_fewer = fewer.words.size() < failing.programs[task].words.size();
            if (is_fewer && try_change(failing, fails, [&fewer, task](Case &changed) {
                    changed.programs[task] = fewer;
                })) {
                is_changed = true;
            } else {
                first += n;
            }
        }
    }
    return is_changed;
}

void remove_features(Case &failing, const Fails &fails)
{
    const std::vector<std::function<void(Case &)>> changes = {
        [](Case &changed) { changed.limit_ns = INT64_MAX; },
        [](Case &changed) { changed.stop_behind = UINT64_MAX; },
        [](Case &changed) { changed.waits = Case::Waits::Nobody; },
        [](Case &changed) { changed.sample_ns = 0; },
        [](Case &changed) { changed.interrupts = false; },
        [](Case &changed) { changed.instructions_seed = 0; },
        [](Case &changed) { changed.shared.clear(); },
        [](Case &changed) { changed.places.clear(); },
        [](Case &changed) {
            changed.platform.kernel_code_lines = 0;
            changed.platform.kernel_data_lines = 0;
        },
        [](Case &changed) { changed.platform.timer_interval = 0; },
        [](Case &changed) { changed.platform.predictor_entries = 0; },
        [](Case &changed) { changed.platform.merges_stores = false; },
        [](Case &changed) { changed.platform.memory.refresh_interval = 0; },
        [](Case &changed) {
            for (laxity_sim_level &level : changed.platform.levels) {
                level.prefetch = LAXITY_SIM_PREFETCH_NONE;
            }
        },
        [](Case &changed) {
            for (laxity_sim_level &level : changed.platform.levels) {
                std::ranges::fill(level.way_masks, 0);
            }
        },
    };
    for (const std::function<void(Case &)> &change : changes) {
        (void)try_change(failing, fails, change);
    }
}

} // namespace

Case smaller_case(Case failing, const std::function<bool(const Case &)> &fails)
{
    bool is_changed = true;
    while (is_changed) {
        is_changed = remove_tasks(failing, fails);
        for (std::size_t task = 0; task < failing.tasks.size(); task++) {
            is_changed |= remove_executions(failing, fails, task);
        }
    }
    remove_features(failing, fails);
    return failing;
}

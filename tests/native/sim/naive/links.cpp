/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "links.hpp"

#include <algorithm>
#include <cstdint>

namespace naive {

std::uint32_t Links::n_domains() const
{
    return domain_of(platform_.cores - 1) + 1;
}

std::uint32_t Links::domain_of(std::uint32_t core) const
{
    return platform_.domain_cores == 0 ? 0 : core / platform_.domain_cores;
}

std::uint64_t Links::ticks(std::uint32_t from, std::uint32_t to) const
{
    return from == to ? 0 : platform_.link_ticks[from][to];
}

Brought Links::bring(const Parcel &parcel)
{
    if (parcel.from == parcel.to) {
        return {.at = parcel.departs};
    }
    Link &link = links_[{parcel.from, parcel.to}];
    const std::uint64_t departs = std::max(parcel.departs, link.free);
    const std::uint64_t waited = departs - parcel.departs;
    const bool is_behind_others = waited > 0 && link.last_core != parcel.core;
    features_.waits_for_links += waited > 0 ? 1 : 0;
    link.free = departs + platform_.link_line_ticks;
    link.last_core = parcel.core;
    return {departs + ticks(parcel.from, parcel.to), waited, is_behind_others};
}

} // namespace naive

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* A set-associative cache: tags and flags only, no data. */
#ifndef LAXITY_SIM_CACHE_HPP
#define LAXITY_SIM_CACHE_HPP

#include "interface/engine.h"
#include "model/replacement.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace laxity {

/* A line in a cache, and what is known of it. */
class Place {
  public:
    static constexpr std::uint64_t EMPTY = UINT64_MAX >> 2U;

    Place() = default;
    explicit Place(std::uint64_t line) : word_(line << 2U) {}

    [[nodiscard]] std::uint64_t line() const
    {
        return word_ >> 2U;
    }
    [[nodiscard]] bool is_of(std::uint64_t line) const
    {
        return (word_ & ~(DIRTY | SHARED)) == line << 2U;
    }
    [[nodiscard]] bool is_empty() const
    {
        return line() == EMPTY;
    }
    [[nodiscard]] bool is_dirty() const
    {
        return (word_ & DIRTY) != 0;
    }
    [[nodiscard]] bool is_shared() const
    {
        return (word_ & SHARED) != 0;
    }
    void set_dirty()
    {
        word_ |= DIRTY;
    }
    void set_shared()
    {
        word_ |= SHARED;
    }
    void set_clean()
    {
        word_ &= ~DIRTY;
    }
    void set_unshared()
    {
        word_ &= ~SHARED;
    }

  private:
    static constexpr std::uint64_t DIRTY = 1;
    static constexpr std::uint64_t SHARED = 2;

    std::uint64_t word_ = EMPTY << 2U;
};

/*
 * A byte for each place that follows from the number of its line, eight in a word: which of eight
 * places may hold a line is seen at once.
 */
class Tags {
  public:
    static constexpr unsigned PLACES = 8;

    [[nodiscard]] static constexpr std::uint64_t tag_of(std::uint64_t line)
    {
        constexpr std::uint64_t GOLDEN = 0x9e3779b97f4a7c15;
        return line * GOLDEN >> 56U;
    }

    void set(unsigned place, std::uint64_t tag)
    {
        const unsigned shift = BITS * place;
        word_ = (word_ & ~(std::uint64_t{0xff} << shift)) | tag << shift;
    }

    /* A bit for each place with this tag, and perhaps for some behind it. */
    [[nodiscard]] std::uint64_t candidates(std::uint64_t tag) const
    {
        const std::uint64_t differing = word_ ^ tag * EACH;
        return (differing - EACH) & ~differing & (EACH << (BITS - 1));
    }
    [[nodiscard]] static unsigned first_of(std::uint64_t candidates)
    {
        return static_cast<unsigned>(std::countr_zero(candidates)) / BITS;
    }

  private:
    static constexpr unsigned BITS = 8;
    static constexpr std::uint64_t EACH = 0x0101010101010101;

    std::uint64_t word_ = tag_of(Place::EMPTY) * EACH;
};

/* Lines are known by their numbers; `at` is the number that a line's set follows from, if that is
 * another one. */
class Cache {
  public:
    /* `keeps_places`: not all cores may allocate everywhere. */
    explicit Cache(
        const laxity_sim_cache &cache, std::uint32_t line_bytes, bool keeps_places = false
    );

    [[nodiscard]] bool exists() const
    {
        return ways_ != 0;
    }

    /* Where a line is, without using it; nullptr: nowhere. */
    [[nodiscard]] Place *find(std::uint64_t line, std::uint64_t at)
    {
        Place *const words = words_of(at & set_mask_);
        const unsigned way = way_of(words, line, all_ways_);
        return way == NO_WAY ? nullptr : words + places_at_ + way;
    }
    [[nodiscard]] Place *find(std::uint64_t line)
    {
        return find(line, line);
    }

    /* The same, and uses it. */
    [[nodiscard, gnu::always_inline]] Place *use(std::uint64_t line, std::uint64_t at)
    {
        const std::size_t set = at & set_mask_;
        if (is_ordered_) {
            Place *const places = words_.data() + set * FEW_WAYS;
            return places[0].is_of(line) ? places : use_ordered(places, line);
        }
        Place *const words = words_of(set);
        Place *const places = words + places_at_;
        const auto recent = read<Recent>(words[RECENT]);
        if (places[recent.last].is_of(line)) {
            return places + recent.last;
        }
        return places[recent.before].is_of(line) ? use_before(set) : use_kept(set, line);
    }
    [[nodiscard, gnu::always_inline]] Place *use(std::uint64_t line)
    {
        return use(line, line);
    }

    /* Holds a line that it does not hold. Returns what it has taken the place of. */
    Place
    allocate(std::uint64_t line, std::uint64_t at, std::uint64_t way_mask, bool is_dirty = false);
    Place allocate(std::uint64_t line, std::uint64_t way_mask)
    {
        return allocate(line, line, way_mask);
    }

    void remove(std::uint64_t line, std::uint64_t at);

  private:
    /* Of so many ways all places are compared, beyond them tags. A set has as many places at least;
     * those that are none of its ways stay empty. */
    static constexpr unsigned FEW_WAYS = 4;
    static constexpr unsigned NO_WAY = UINT32_MAX;

    /* Ways of a set that were used last: nearly all lines are there, and using the last one again
     * changes nothing. */
    struct Recent {
        std::uint32_t last = 0;
        std::uint32_t before = 1;
    };
    /*
     * All that is known of a set lies together, so that it comes into the host's caches at once:
     * words of these numbers, then tags, then its places. They are all of the type of a place. Of
     * a set that is ordered there are the places only.
     */
    enum : unsigned {
        RECENT,
        REPLACEMENT,
        TAGS
    };

    template <typename Word> [[nodiscard]] static Word read(const Place &word)
    {
        return std::bit_cast<Word>(word);
    }
    template <typename Word> static void write(Place &word, Word value)
    {
        word = std::bit_cast<Place>(value);
    }

    /* Without the checks of a container: nearly all time goes here. */
    [[nodiscard]] Place *words_of(std::size_t set)
    {
        return words_.data() + set * set_words_;
    }
    [[nodiscard]] unsigned way_of(const Place *words, std::uint64_t line, std::uint64_t ways) const;
    [[nodiscard]] Place *use_before(std::size_t set);
    [[nodiscard]] static Place *use_ordered(Place *places, std::uint64_t line);
    [[nodiscard]] static Place *find_ordered(Place *places, std::uint64_t line);
    [[nodiscard]] Place *use_kept(std::size_t set, std::uint64_t line);
    void note_use(std::size_t set, unsigned way);
    [[nodiscard]] static std::uint64_t few_ways_of(const Place *places, std::uint64_t line);
    static void move_to_front(Place *places, unsigned way);
    void put(Place *words, unsigned way, const Place &place);

    unsigned ways_;
    unsigned places_at_ = TAGS; /* in a set */
    unsigned set_words_ = 0;
    /* Least recently used of few ways, all of them for everybody: the places of a set stand in the
     * order of their last use, empty ones last. Otherwise each way has its place. */
    bool is_ordered_ = false;
    std::uint64_t all_ways_ = 0;
    std::uint64_t set_mask_ = 0;
    std::size_t n_empty_ = 0; /* places */
    std::vector<Place> words_;
    Replacement replacement_;
};

/* One that is off has a set that stays empty: so nobody need ask whether it is there. */
inline Cache::Cache(const laxity_sim_cache &cache, std::uint32_t line_bytes, bool keeps_places)
    : ways_(cache.size_bytes == 0 ? 0 : cache.ways), replacement_(cache, line_bytes)
{
    std::size_t n_sets = 1;
    if (ways_ != 0) {
        n_sets = cache.size_bytes / line_bytes / ways_;
        set_mask_ = n_sets - 1;
        all_ways_ = UINT64_MAX >> (64U - ways_);
        is_ordered_ = cache.replacement == LAXITY_SIM_LRU && ways_ <= FEW_WAYS && !keeps_places;
        if (is_ordered_) {
            places_at_ = 0;
        } else if (ways_ > FEW_WAYS) {
            places_at_ = TAGS + (ways_ + Tags::PLACES - 1) / Tags::PLACES;
        }
        n_empty_ = n_sets * ways_;
    }
    set_words_ = places_at_ + std::max(ways_, FEW_WAYS);
    words_.resize(n_sets * set_words_);
    for (std::size_t set = 0; set < n_sets && !is_ordered_; set++) {
        Place *const words = words_of(set);
        write(words[RECENT], Recent{});
        write(words[REPLACEMENT], replacement_.new_word());
        std::fill(words + TAGS, words + places_at_, std::bit_cast<Place>(Tags{}));
    }
}

/* Those of few ways that hold a line, as bits; without a branch, which would be hard to foretell.
 */
inline std::uint64_t Cache::few_ways_of(const Place *places, std::uint64_t line)
{
    const auto bit = [places, line](unsigned way) {
        return std::uint64_t{places[way].is_of(line)} << way;
    };
    static_assert(FEW_WAYS == 4);
    return bit(0) | bit(1) | bit(2) | bit(3);
}

/* The first of these ways that holds a line. */
inline unsigned Cache::way_of(const Place *words, std::uint64_t line, std::uint64_t ways) const
{
    const Place *const places = words + places_at_;
    if (places_at_ <= TAGS) {
        const std::uint64_t found = few_ways_of(places, line) & ways;
        return found == 0 ? NO_WAY : static_cast<unsigned>(std::countr_zero(found));
    }
    const std::uint64_t tag = Tags::tag_of(line);
    unsigned first = 0;
    for (const Place *word = words + TAGS; word != places; word++, first += Tags::PLACES) {
        std::uint64_t left = read<Tags>(*word).candidates(tag);
        for (; left != 0; left &= left - 1) {
            const unsigned way = first + Tags::first_of(left);
            if ((ways >> way & 1U) != 0 && places[way].is_of(line)) {
                return way;
            }
        }
    }
    return NO_WAY;
}

/* The line that was used before the last one. */
inline Place *Cache::use_before(std::size_t set)
{
    Place *const words = words_of(set);
    note_use(set, read<Recent>(words[RECENT]).before);
    return words + places_at_ + read<Recent>(words[RECENT]).last;
}

/* Of places in order: a line that is not the first, and comes to the front if it is there. */
inline Place *Cache::use_ordered(Place *places, std::uint64_t line)
{
    if (!places[1].is_of(line)) {
        return find_ordered(places, line);
    }
    std::swap(places[0], places[1]);
    return places;
}

[[gnu::noinline]] inline Place *Cache::find_ordered(Place *places, std::uint64_t line)
{
    const std::uint64_t found = few_ways_of(places, line);
    if (found == 0) {
        return nullptr;
    }
    move_to_front(places, static_cast<unsigned>(std::countr_zero(found)));
    return places;
}

/* Of others: a line that is none of the two used last. */
[[gnu::noinline]] inline Place *Cache::use_kept(std::size_t set, std::uint64_t line)
{
    Place *const words = words_of(set);
    const unsigned way = way_of(words, line, all_ways_);
    if (way == NO_WAY) {
        return nullptr;
    }
    note_use(set, way);
    return words + places_at_ + way;
}

inline void Cache::note_use(std::size_t set, unsigned way)
{
    Place *const words = words_of(set);
    const auto word = read<std::uint64_t>(words[REPLACEMENT]);
    write(words[RECENT], Recent{.last = way, .before = read<Recent>(words[RECENT]).last});
    write(words[REPLACEMENT], replacement_.use(set, word, way));
}

/* Of few places. All are written, so that which one it is need not be foretold. */
inline void Cache::move_to_front(Place *places, unsigned way)
{
    const Place moved = places[way];
    for (unsigned to = FEW_WAYS - 1; to > 0; to--) {
        places[to] = places[to <= way ? to - 1 : to];
    }
    places[0] = moved;
}

inline void Cache::put(Place *words, unsigned way, const Place &place)
{
    words[places_at_ + way] = place;
    if (places_at_ > TAGS) {
        Place &word = words[TAGS + way / Tags::PLACES];
        auto tags = read<Tags>(word);
        tags.set(way % Tags::PLACES, Tags::tag_of(place.line()));
        write(word, tags);
    }
}

inline Place
Cache::allocate(std::uint64_t line, std::uint64_t at, std::uint64_t way_mask, bool is_dirty)
{
    Place place{line};
    if (is_dirty) {
        place.set_dirty();
    }
    const std::size_t set = at & set_mask_;
    Place *const words = words_of(set);
    Place *const places = words + places_at_;
    if (is_ordered_) {
        const Place victim = places[ways_ - 1];
        move_to_front(places, ways_ - 1);
        places[0] = place;
        return victim;
    }
    const std::uint64_t permitted = way_mask == 0 ? all_ways_ : way_mask & all_ways_;
    const auto word = read<std::uint64_t>(words[REPLACEMENT]);
    unsigned way = n_empty_ == 0 ? NO_WAY : way_of(words, Place::EMPTY, permitted);
    n_empty_ -= way == NO_WAY ? 0 : 1;
    way = way == NO_WAY ? replacement_.victim(set, word, permitted) : way;
    const Place victim = places[way];
    put(words, way, place);
    write(words[RECENT], Recent{.last = way, .before = read<Recent>(words[RECENT]).last});
    write(words[REPLACEMENT], replacement_.allocate(set, word, way));
    return victim;
}

inline void Cache::remove(std::uint64_t line, std::uint64_t at)
{
    Place *const words = words_of(at & set_mask_);
    Place *const places = words + places_at_;
    const unsigned way = way_of(words, line, all_ways_);
    if (way == NO_WAY) {
        return;
    }
    put(words, way, Place{});
    if (is_ordered_) {
        std::rotate(places + way, places + way + 1, places + ways_);
    } else {
        n_empty_++;
    }
}

} // namespace laxity

#endif

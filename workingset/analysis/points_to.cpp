// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/points_to.hpp"

#include "analysis/byte_runs.hpp"
#include "analysis/faults.hpp"

#include <algorithm>
#include <bit>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

namespace laxity::workingset {

namespace {

// Distinct offsets per object before all further ones become "anywhere": structs have fewer fields,
// and what has more is indexed.
constexpr unsigned MAX_OFFSETS = 64;
// Words passed on per word that may be kept: what takes longer is stopped, too.
constexpr uint64_t PASSED_ON_PER_KEPT = 1000;

} // namespace

/* Tarjan's strongly connected components without recursion: chains of copies are as long as
 * programs. */
class PointsToSolver::CycleFinder {
  public:
    explicit CycleFinder(const PointsToSolver &solver)
        : solver_(solver), index_(solver.nodes_.size(), 0), low_(solver.nodes_.size(), 0)
    {
        for (unsigned node = 0; node < solver.nodes_.size(); node++) {
            if (solver.find(node) == node && index_[node] == 0) {
                visit(node);
            }
        }
    }
    // Nodes that copy from each other in a circle stand together, successors first.
    std::vector<unsigned> members;
    std::vector<size_t> ends; // of each circle's in them

  private:
    struct Frame {
        unsigned node;
        size_t next_edge;
    };

    void open(unsigned node)
    {
        index_[node] = low_[node] = ++count_;
        open_.push_back(node);
        frames_.push_back({.node = node, .next_edge = 0});
    }
    void close(unsigned node)
    {
        unsigned member = node;
        do {
            member = open_.back();
            open_.pop_back();
            low_[member] = CLOSED;
            members.push_back(member);
        } while (member != node);
        ends.push_back(members.size());
    }
    void visit(unsigned root)
    {
        open(root);
        while (!frames_.empty()) {
            Frame &frame = frames_.back();
            const unsigned node = frame.node;
            const auto &edges = solver_.nodes_[node].edges;
            if (frame.next_edge < edges.size()) {
                const unsigned to = solver_.find(edges[frame.next_edge++].to);
                if (index_[to] == 0) {
                    open(to);
                } else if (low_[to] != CLOSED) {
                    low_[node] = std::min(low_[node], index_[to]);
                }
                continue;
            }
            frames_.pop_back();
            const unsigned low = low_[node];
            if (low == index_[node]) {
                close(node);
            }
            if (!frames_.empty() && low != CLOSED) {
                unsigned &parent_low = low_[frames_.back().node];
                parent_low = std::min(parent_low, low);
            }
        }
    }

    static constexpr unsigned CLOSED = ~0U;
    const PointsToSolver &solver_;
    std::vector<unsigned> index_, low_, open_;
    std::vector<Frame> frames_;
    unsigned count_ = 0;
};

PointsToSolver::PointsToSolver(unsigned objects, uint64_t budget)
    : first_exact_((objects + Set::WORD_BITS - 1) / Set::WORD_BITS * Set::WORD_BITS),
      budget_(budget), offset_counts_(objects, 0), without_pointers_(objects, false)
{
    for (unsigned object = 0; object < objects; object++) {
        nodes_[make_node()].has_sources = true;
    }
}

void PointsToSolver::set_without_pointers(unsigned object)
{
    without_pointers_[object] = true;
}

unsigned PointsToSolver::make_node()
{
    const auto number = static_cast<unsigned>(nodes_.size());
    nodes_.emplace_back();
    nodes_.back().parent = number;
    return number;
}

unsigned PointsToSolver::find(unsigned node) const
{
    while (nodes_[node].parent != node) {
        node = nodes_[node].parent;
    }
    return node;
}

unsigned PointsToSolver::locate(unsigned object, int64_t offset)
{
    if (offset < 0 || offset >= MAX_SPAN_BYTES) { // ANY_OFFSET, too, and what lies in no object
        return object;
    }
    auto known = exact_numbers_.find({object, offset});
    if (known != exact_numbers_.end()) {
        return known->second;
    }
    if (++offset_counts_[object] > MAX_OFFSETS) {
        return object;
    }
    const auto number = first_exact_ + static_cast<unsigned>(exact_.size());
    exact_.emplace_back(object, offset);
    exact_numbers_[{object, offset}] = number;
    return number;
}

unsigned PointsToSolver::object_of(unsigned location) const
{
    return location < first_exact_ ? location : exact_[location - first_exact_].first;
}

PointsToSolver::Set PointsToSolver::shifted(const Set &set, int64_t shift)
{
    Set result;
    const auto &words = set.words();
    const auto first_exact = std::ranges::lower_bound(
        words, first_exact_ / Set::WORD_BITS, {}, [](const Set::Word &word) { return word.index; }
    );
    for (auto word = words.begin(); word != first_exact; ++word) {
        result.push_back(*word);
    }
    std::vector<unsigned> moved;
    for (auto word = first_exact; word != words.end(); ++word) {
        for (uint64_t bits = word->bits; bits != 0; bits &= bits - 1) {
            const unsigned location =
                word->index * Set::WORD_BITS + static_cast<unsigned>(std::countr_zero(bits));
            const auto [object, offset] = exact_[location - first_exact_];
            int64_t to = 0;
            const bool is_known = shift != ANY_OFFSET && !llvm::AddOverflow(offset, shift, to);
            moved.push_back(locate(object, is_known ? to : ANY_OFFSET));
        }
    }
    std::ranges::sort(moved);
    Set rest;
    for (unsigned location : moved) {
        rest.set(location);
    }
    result |= rest;
    return result;
}

bool PointsToSolver::may_point_to(unsigned node, llvm::function_ref<bool(unsigned object)> matches)
    const
{
    return llvm::any_of(nodes_[find(node)].points_to, [&](unsigned location) {
        return matches(object_of(location));
    });
}

void PointsToSolver::insert(unsigned node, const Set &locations)
{
    const bool is_widened = nodes_[node].is_widened;
    if (is_widened && has_fault(Fault::WidenedTargetsLost)) {
        return;
    }
    const bool has_exact =
        !locations.empty() && locations.words().back().index >= first_exact_ / Set::WORD_BITS;
    passed_on_ += locations.words().size();
    Node &self = nodes_[node];
    const Set fresh =
        self.points_to.take(is_widened && has_exact ? shifted(locations, ANY_OFFSET) : locations);
    if (fresh.empty()) {
        return;
    }
    self.fresh |= fresh;
    if (self.loaded != NONE || self.stored != NONE || !self.tags.empty()) {
        self.unresolved |= fresh;
    }
}

void PointsToSolver::add_address(unsigned node, unsigned object)
{
    Set location;
    location.set(locate(object, 0));
    add_source(node, NONE);
    insert(find(node), location);
}

void PointsToSolver::add_source(unsigned node, unsigned source)
{
    Node &self = nodes_[node];
    if (self.has_sources || (source != NONE && self.source == source)) {
        return;
    }
    if (self.source == NONE && source != NONE) {
        self.source = source;
        return;
    }
    has_broken_chain_ = has_broken_chain_ || self.source != NONE;
    self.has_sources = true;
}

unsigned PointsToSolver::first_of_chain(unsigned node) const
{
    constexpr unsigned LONGEST = 1000; // code that nothing reaches may go in a circle
    for (unsigned i = 0; i < LONGEST && !nodes_[node].has_sources && nodes_[node].source != NONE;
         i++) {
        node = nodes_[node].source;
    }
    return node;
}

void PointsToSolver::hand_over(Dereference &dereference)
{
    dereference.handed_to = first_of_chain(dereference.pointer);
    const unsigned pointer = find(dereference.handed_to);
    unsigned part = dereference.is_load ? nodes_[pointer].loaded : nodes_[pointer].stored;
    if (part == NONE) {
        part = make_node();
        nodes_[part].has_sources = true;
        (dereference.is_load ? nodes_[pointer].loaded : nodes_[pointer].stored) = part;
        nodes_[pointer].unresolved = nodes_[pointer].points_to;
    }
    const unsigned from = dereference.is_load ? part : dereference.other;
    const unsigned to = dereference.is_load ? dereference.other : part;
    add_copy(from, to, 0);
}

/* What is new; and where a chain has got another source since, what went to its first node. */
void PointsToSolver::hand_over_again()
{
    for (size_t i = has_broken_chain_ ? 0 : handed_over_; i < dereferences_.size(); i++) {
        if (i >= handed_over_ ||
            dereferences_[i].handed_to != first_of_chain(dereferences_[i].pointer)) {
            hand_over(dereferences_[i]);
        }
    }
    handed_over_ = dereferences_.size();
    has_broken_chain_ = false;
}

void PointsToSolver::add_copy(unsigned from, unsigned to, Shift shift)
{
    add_source(to, from);
    from = find(from);
    to = find(to);
    const int64_t bytes = shift.value_or(ANY_OFFSET);
    if (from == to) {
        if (bytes != 0) {
            widen(from);
        }
        return;
    }
    if (bytes == 0 && !known_edges_.insert({from, to}).second) {
        return;
    }
    has_new_edges_ = true;
    nodes_[from].edges.push_back({.to = to, .shift = bytes});
    // What went along the other edges before this one was there.
    const Set earlier = nodes_[from].fresh.empty()
                            ? nodes_[from].points_to
                            : nodes_[from].points_to.without(nodes_[from].fresh);
    if (!earlier.empty()) {
        insert(to, bytes == 0 ? earlier : shifted(earlier, bytes));
    }
}

void PointsToSolver::add_load(unsigned pointer, unsigned to)
{
    add_source(to, NONE);
    dereferences_.push_back({.pointer = pointer, .other = to, .is_load = true, .handed_to = NONE});
}

void PointsToSolver::add_store(unsigned pointer, unsigned from)
{
    dereferences_.push_back({.pointer = pointer, .other = from, .is_load = false, .handed_to = NONE}
    );
}

void PointsToSolver::watch(unsigned node, unsigned tag)
{
    node = find(node);
    nodes_[node].tags.push_back(tag);
    nodes_[node].unresolved = nodes_[node].points_to;
}

void PointsToSolver::widen(unsigned node)
{
    if (nodes_[node].is_widened) {
        return;
    }
    nodes_[node].is_widened = true;
    Set exact;
    std::swap(exact, nodes_[node].points_to);
    nodes_[node].fresh.clear();
    nodes_[node].unresolved.clear();
    insert(node, exact);
}

void PointsToSolver::merge(unsigned into, unsigned from)
{
    into = find(into);
    from = find(from);
    if (into == from) {
        return;
    }
    Node &target = nodes_[into];
    Node source = std::move(nodes_[from]);
    nodes_[from] = Node();
    nodes_[from].parent = into;
    nodes_[from].source = source.source;
    nodes_[from].has_sources = source.has_sources;
    target.points_to |= source.points_to;
    target.fresh = target.points_to;
    target.unresolved = target.points_to;
    target.edges.insert(target.edges.end(), source.edges.begin(), source.edges.end());
    target.tags.insert(target.tags.end(), source.tags.begin(), source.tags.end());
    const bool is_widened = target.is_widened || source.is_widened;
    if (is_widened) {
        target.is_widened = false; // one of them may not have been
        widen(into);
    }
    // One pointer now, so what is loaded through it is one set.
    for (unsigned Node::*part : {&Node::loaded, &Node::stored}) {
        if (nodes_[into].*part == NONE) {
            nodes_[into].*part = source.*part;
        } else if (source.*part != NONE) {
            merge(nodes_[into].*part, source.*part);
        }
    }
}

std::vector<unsigned> PointsToSolver::merge_cycles()
{
    const CycleFinder finder(*this);
    std::vector<unsigned> order;
    order.reserve(finder.ends.size());
    size_t first = 0;
    for (const size_t end : finder.ends) {
        order.push_back(finder.members[first]);
        for (size_t i = first + 1; i < end; i++) {
            merge(finder.members[first], finder.members[i]);
        }
        first = end;
    }
    if (finder.members.size() > finder.ends.size()) { // circles of more than one
        normalise_edges();
    }
    std::ranges::reverse(order);
    return order;
}

/* After merges: edges lead to heads, once each; a cycle that shifts has become an edge to itself.
 */
void PointsToSolver::normalise_edges()
{
    for (Node &node : nodes_) {
        node.parent = find(node.parent);
    }
    known_edges_.clear();
    for (unsigned number = 0; number < nodes_.size(); number++) {
        auto &edges = nodes_[number].edges;
        bool has_shift = false;
        for (Edge &edge : edges) {
            edge.to = find(edge.to);
            has_shift = has_shift || (edge.to == number && edge.shift != 0);
        }
        std::erase_if(edges, [number](const Edge &edge) { return edge.to == number; });
        std::ranges::sort(edges, {}, [](const Edge &e) { return std::pair(e.to, e.shift); });
        const auto same = [](const Edge &a, const Edge &b) {
            return a.to == b.to && a.shift == b.shift;
        };
        edges.erase(std::unique(edges.begin(), edges.end(), same), edges.end());
        for (const Edge &edge : edges) {
            if (edge.shift == 0) {
                known_edges_.insert({number, edge.to});
            }
        }
        if (has_shift) {
            widen(number);
        }
    }
}

bool PointsToSolver::propagate(const std::vector<unsigned> &order)
{
    bool has_changed = false;
    for (unsigned node : order) {
        node = find(node);
        Set fresh;
        std::swap(fresh, nodes_[node].fresh);
        if (fresh.empty()) {
            continue;
        }
        has_changed = true;
        for (const Edge &edge : nodes_[node].edges) {
            insert(find(edge.to), edge.shift == 0 ? fresh : shifted(fresh, edge.shift));
        }
    }
    return has_changed;
}

/* Nodes may be added while a node is resolved, so it is named by its number. */
void PointsToSolver::resolve_node(unsigned node, const std::vector<unsigned> &objects)
{
    std::vector<unsigned> contents;
    contents.reserve(objects.size());
    for (unsigned object : objects) {
        if (!without_pointers_[object]) {
            contents.push_back(find(content(object)));
        }
    }
    std::ranges::sort(contents);
    contents.erase(std::unique(contents.begin(), contents.end()), contents.end());
    for (unsigned each : contents) {
        if (nodes_[node].loaded != NONE) {
            add_copy(each, find(nodes_[node].loaded), 0);
        }
        if (nodes_[node].stored != NONE) {
            add_copy(find(nodes_[node].stored), each, 0);
        }
    }
}

bool PointsToSolver::resolve(Watcher watcher)
{
    bool has_changed = false;
    // Nodes that the watcher adds are looked at in the next wave.
    const size_t count = nodes_.size();
    std::vector<unsigned> objects;
    for (unsigned node = 0; node < count; node++) {
        if (nodes_[node].unresolved.empty()) {
            continue;
        }
        has_changed = true;
        objects.clear();
        for (const unsigned location : nodes_[node].unresolved) {
            objects.push_back(object_of(location));
        }
        nodes_[node].unresolved.clear();
        std::ranges::sort(objects);
        objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
        resolve_node(node, objects);
        const std::vector<unsigned> tags = nodes_[node].tags; // the watcher may move the node
        for (unsigned tag : tags) {
            for (unsigned object : objects) {
                watcher(tag, object);
            }
        }
    }
    return has_changed;
}

bool PointsToSolver::is_within_budget() const
{
    uint64_t words = 0;
    for (const Node &node : nodes_) {
        words += node.points_to.words().size() + node.edges.size();
    }
    return words <= budget_ && passed_on_ / PASSED_ON_PER_KEPT <= budget_;
}

bool PointsToSolver::solve(Watcher watcher)
{
    std::vector<unsigned> order;
    bool has_changed = true;
    while (has_changed) {
        hand_over_again();
        if (has_new_edges_) {
            has_new_edges_ = false;
            order = merge_cycles();
        }
        has_changed = propagate(order);
        has_changed = resolve(watcher) || has_changed;
        has_changed = has_changed || handed_over_ != dereferences_.size() || has_broken_chain_;
        if (!is_within_budget()) {
            return false;
        }
    }
    return true;
}

void PointsToSolver::keep_sets()
{
    constexpr unsigned UNKNOWN = ~0U;
    std::vector<unsigned> of_first(nodes_.size(), UNKNOWN); // of those that others were merged into
    set_numbers_.reserve(nodes_.size());
    for (unsigned node = 0; node < nodes_.size(); node++) {
        const unsigned first = find(node);
        if (of_first[first] == UNKNOWN) {
            of_first[first] = static_cast<unsigned>(sets_.size());
            sets_.push_back(std::move(nodes_[first].points_to));
        }
        set_numbers_.push_back(of_first[first]);
    }
    std::vector<Node>().swap(nodes_);
    std::vector<Dereference>().swap(dereferences_);
    known_edges_ = {};
}

llvm::SmallVector<Location, 4> PointsToSolver::targets_of_set(unsigned set) const
{
    llvm::SmallVector<Location, 4> result;
    result.reserve(sets_[set].count());
    for (const unsigned location : sets_[set]) {
        const std::optional<int64_t> offset =
            location < first_exact_
                ? std::nullopt
                : std::optional<int64_t>(exact_[location - first_exact_].second);
        result.push_back({.object = object_of(location), .offset = offset});
    }
    return result;
}

} // namespace laxity::workingset

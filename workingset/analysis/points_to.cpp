// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/points_to.hpp"

#include "analysis/faults.hpp"

#include <algorithm>

namespace laxity::workingset {

namespace {

// Distinct offsets per object before all further ones become "anywhere": structs have fewer fields,
// and what has more is indexed.
constexpr unsigned MAX_OFFSETS = 64;
// Elements of all sets together: beyond, at some 8 bytes each, memory is gone before precision is.
constexpr uint64_t MAX_ELEMENTS = 200'000'000;

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
    std::vector<std::vector<unsigned>> components; // successors first

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
        std::vector<unsigned> component;
        unsigned member = node;
        do {
            member = open_.back();
            open_.pop_back();
            low_[member] = CLOSED;
            component.push_back(member);
        } while (member != node);
        components.push_back(std::move(component));
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

PointsToSolver::PointsToSolver(unsigned objects) : offset_counts_(objects, 0)
{
    for (unsigned object = 0; object < objects; object++) {
        make_node();
    }
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
    auto known = location_numbers_.find({object, offset});
    if (known != location_numbers_.end()) {
        return known->second;
    }
    if (offset != ANY_OFFSET && (offset < 0 || ++offset_counts_[object] > MAX_OFFSETS)) {
        return locate(object, ANY_OFFSET);
    }
    const auto number = static_cast<unsigned>(locations_.size());
    locations_.emplace_back(object, offset);
    location_numbers_[{object, offset}] = number;
    return number;
}

unsigned PointsToSolver::shifted(unsigned location, int64_t shift)
{
    const auto [object, offset] = locations_[location];
    const bool is_known = offset != ANY_OFFSET && shift != ANY_OFFSET;
    return locate(object, is_known ? offset + shift : ANY_OFFSET);
}

bool PointsToSolver::insert(unsigned node, unsigned location)
{
    if (nodes_[node].is_widened) {
        if (has_fault(Fault::WidenedTargetsLost)) {
            return false;
        }
        location = shifted(location, ANY_OFFSET);
    }
    return nodes_[node].points_to.test_and_set(location);
}

void PointsToSolver::add_address(unsigned node, unsigned object)
{
    insert(find(node), locate(object, 0));
}

void PointsToSolver::add_copy(unsigned from, unsigned to, Shift shift)
{
    from = find(from);
    to = find(to);
    const int64_t bytes = shift.value_or(ANY_OFFSET);
    if ((from == to && bytes == 0) || !known_edges_.insert({{from, to}, bytes}).second) {
        return;
    }
    nodes_[from].edges.push_back({.to = to, .shift = bytes});
    // What went along the other edges before this one was there.
    Set earlier = nodes_[from].propagated;
    for (unsigned location : earlier) {
        insert(to, shifted(location, bytes));
    }
}

void PointsToSolver::add_load(unsigned pointer, unsigned to)
{
    pointer = find(pointer);
    nodes_[pointer].loads.push_back(to);
    nodes_[pointer].resolved.clear();
}

void PointsToSolver::add_store(unsigned pointer, unsigned from)
{
    pointer = find(pointer);
    nodes_[pointer].stores.push_back(from);
    nodes_[pointer].resolved.clear();
}

void PointsToSolver::watch(unsigned node, unsigned tag)
{
    node = find(node);
    nodes_[node].tags.push_back(tag);
    nodes_[node].resolved.clear();
}

void PointsToSolver::widen(unsigned node)
{
    if (nodes_[node].is_widened) {
        return;
    }
    nodes_[node].is_widened = true;
    Set exact;
    std::swap(exact, nodes_[node].points_to);
    for (unsigned location : exact) {
        insert(node, location);
    }
    nodes_[node].propagated.clear();
    nodes_[node].resolved.clear();
}

void PointsToSolver::merge(unsigned into, unsigned from)
{
    Node &target = nodes_[into];
    Node &source = nodes_[from];
    source.parent = into;
    target.points_to |= source.points_to;
    target.propagated.clear();
    target.resolved.clear();
    const auto append = [](auto &to, auto &what) {
        to.insert(to.end(), what.begin(), what.end());
        what = {};
    };
    append(target.edges, source.edges);
    append(target.loads, source.loads);
    append(target.stores, source.stores);
    append(target.tags, source.tags);
    target.is_widened = target.is_widened || source.is_widened;
    source.points_to.clear();
    source.propagated.clear();
    source.resolved.clear();
}

std::vector<unsigned> PointsToSolver::merge_cycles()
{
    CycleFinder finder(*this);
    std::vector<unsigned> order;
    llvm::DenseSet<unsigned> merged;
    for (const std::vector<unsigned> &component : finder.components) {
        const unsigned head = component.front();
        for (size_t i = 1; i < component.size(); i++) {
            merge(head, component[i]);
            merged.insert(head);
        }
        order.push_back(head);
    }
    for (unsigned node : order) {
        auto &edges = nodes_[node].edges;
        bool has_shift = nodes_[node].is_widened;
        for (Edge &edge : edges) {
            edge.to = find(edge.to);
            has_shift = has_shift || (edge.to == node && edge.shift != 0);
        }
        std::erase_if(edges, [node](const Edge &edge) { return edge.to == node; });
        std::ranges::sort(edges, {}, [](const Edge &e) { return std::pair(e.to, e.shift); });
        const auto same = [](const Edge &a, const Edge &b) {
            return a.to == b.to && a.shift == b.shift;
        };
        edges.erase(std::unique(edges.begin(), edges.end(), same), edges.end());
        if (has_shift && (!nodes_[node].is_widened || merged.contains(node))) {
            nodes_[node].is_widened = false; // a member may not have been
            widen(node);
        }
    }
    std::ranges::reverse(order);
    return order;
}

bool PointsToSolver::propagate(const std::vector<unsigned> &order)
{
    bool has_changed = false;
    for (unsigned node : order) {
        Set fresh = nodes_[node].points_to;
        fresh.intersectWithComplement(nodes_[node].propagated);
        if (fresh.empty()) {
            continue;
        }
        has_changed = true;
        nodes_[node].propagated = nodes_[node].points_to;
        for (const Edge &edge : nodes_[node].edges) {
            if (edge.shift == 0 && !nodes_[edge.to].is_widened) {
                nodes_[edge.to].points_to |= fresh;
                continue;
            }
            for (unsigned location : fresh) {
                insert(edge.to, shifted(location, edge.shift));
            }
        }
    }
    return has_changed;
}

bool PointsToSolver::resolve(Watcher watcher)
{
    bool has_changed = false;
    // Nodes that the watcher adds are looked at in the next wave.
    const size_t count = nodes_.size();
    for (unsigned node = 0; node < count; node++) {
        const Node &self = nodes_[node];
        if (self.parent != node ||
            (self.loads.empty() && self.stores.empty() && self.tags.empty())) {
            continue;
        }
        Set fresh = self.points_to;
        fresh.intersectWithComplement(self.resolved);
        if (fresh.empty()) {
            continue;
        }
        has_changed = true;
        nodes_[node].resolved = nodes_[node].points_to;
        // Copies: constraints that are added below may move the node.
        const std::vector<unsigned> loads = self.loads, stores = self.stores, tags = self.tags;
        for (unsigned location : fresh) {
            const unsigned object = locations_[location].first;
            for (unsigned to : loads) {
                add_copy(content(object), to, 0);
            }
            for (unsigned from : stores) {
                add_copy(from, content(object), 0);
            }
            for (unsigned tag : tags) {
                watcher(tag, object);
            }
        }
    }
    return has_changed;
}

bool PointsToSolver::is_within_budget() const
{
    uint64_t elements = 0;
    for (const Node &node : nodes_) {
        elements += node.points_to.count();
    }
    return elements <= MAX_ELEMENTS;
}

bool PointsToSolver::solve(Watcher watcher)
{
    bool has_changed = true;
    while (has_changed) {
        has_changed = propagate(merge_cycles());
        has_changed = resolve(watcher) || has_changed;
        if (!is_within_budget()) {
            return false;
        }
    }
    return true;
}

llvm::SmallVector<Location, 4> PointsToSolver::targets(unsigned node) const
{
    llvm::SmallVector<Location, 4> result;
    for (unsigned number : nodes_[find(node)].points_to) {
        const auto [object, offset] = locations_[number];
        result.push_back(
            {.object = object,
             .offset = offset == ANY_OFFSET ? std::nullopt : std::optional<int64_t>(offset)}
        );
    }
    return result;
}

bool PointsToSolver::points_to_object(unsigned node, unsigned object) const
{
    for (unsigned number : nodes_[find(node)].points_to) {
        if (locations_[number].first == object) {
            return true;
        }
    }
    return false;
}

} // namespace laxity::workingset

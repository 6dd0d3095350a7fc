// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "resolve.hpp"

#include "llvm/IR/DataLayout.h"
#include "trace_file.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace laxity::workingset::oracle {

MemoryEffect memory_effect(const llvm::Instruction &instruction)
{
    const llvm::DataLayout &layout = instruction.getModule()->getDataLayout();
    if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        return {layout.getTypeStoreSize(load->getType()), 0};
    }
    if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        return {0, layout.getTypeStoreSize(store->getValueOperand()->getType())};
    }
    if (const auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
        uint64_t size_bytes = layout.getTypeStoreSize(update->getValOperand()->getType());
        return {size_bytes, size_bytes};
    }
    if (const auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
        // What is not exchanged keeps its value: that is a read, and no write of all bytes.
        return {layout.getTypeStoreSize(exchange->getNewValOperand()->getType()), 0};
    }
    return {0, 0};
}

namespace {

struct SlotKey {
    uint64_t address;
    uint64_t size_bytes;
    uint64_t object;
    bool operator==(const SlotKey &) const = default;
};

struct SlotHash {
    size_t operator()(const SlotKey &key) const
    {
        return (key.address ^ key.object * 0x9e3779b97f4a7c15 ^ key.size_bytes << 20) *
                   0xff51afd7ed558ccd >>
               7;
    }
};

class Resolver {
  public:
    Resolver(std::span<const uint64_t> trace, const Numbering &numbering, std::span<uint64_t> out)
        : trace_(trace), numbering_(numbering), out_(out),
          last_slots_(numbering.instructions.size(), NO_SLOT)
    {
        for (const llvm::Instruction *instruction : numbering.instructions) {
            effects_.push_back(memory_effect(*instruction));
        }
        for (uint32_t i = 0; i < numbering.arguments.size(); i++) {
            by_value_[numbering.arguments[i]->getParent()].push_back(i);
        }
        result_.contexts.push_back({0, LAXITY_TRACE_NO_SITE, 0});
    }

    llvm::Expected<Resolved> run();

  private:
    struct Place {
        uint32_t slot;
        uint64_t offset;
    };

    bool take_word(size_t position);
    bool take_segment(size_t end);
    void take_access(size_t position, uint32_t instruction);
    void take_alloca(size_t position, uint32_t instruction);
    void take_range(size_t position);
    uint32_t give_birth(const Slot &slot);
    void leave(const llvm::Function &function);
    Place place_of(uint64_t address, uint32_t &last_slot);
    void read(size_t position, Place place, uint64_t size_bytes);
    void define(Place place, uint64_t size_bytes, bool is_defined);
    void put_place(size_t position, Place place)
    {
        uint64_t tag = trace_[position] & ~LAXITY_TRACE_PAYLOAD;
        out_[position] = tag | static_cast<uint64_t>(place.slot) << SLOT_SHIFT | place.offset;
    }

    std::span<const uint64_t> trace_;
    const Numbering &numbering_;
    std::span<uint64_t> out_;
    Resolved result_;
    std::vector<MemoryEffect> effects_;
    std::vector<uint32_t> last_slots_;    // by instruction: where its last access went
    std::map<uint64_t, uint32_t> places_; // end address → slot, of the instances that exist now
    std::vector<bool> exists_;
    // Copies that a function is given of what is passed by value, by the arguments' numbers; of
    // each the slots, the innermost activation's last.
    std::unordered_map<const llvm::Function *, std::vector<uint32_t>> by_value_;
    std::unordered_map<uint32_t, std::vector<uint32_t>> given_;
    std::vector<std::vector<bool>> defined_; // by slot and byte; empty: all
    std::unordered_map<SlotKey, uint32_t, SlotHash> slot_numbers_;
    std::vector<size_t> pending_; // addresses of the segment that has not ended yet
    uint64_t size_bytes_ = 0;
    uint64_t object_ = 0;
    uint32_t site_ = 0;
    uint32_t last_range_slot_ = NO_SLOT;
};

uint32_t Resolver::give_birth(const Slot &slot)
{
    SlotKey key{slot.address, slot.size_bytes, static_cast<uint64_t>(slot.kind) << 32 | slot.index};
    auto [entry, is_new] =
        slot_numbers_.try_emplace(key, static_cast<uint32_t>(result_.slots.size()));
    uint32_t number = entry->second;
    if (is_new) {
        result_.slots.push_back(slot);
        exists_.push_back(false);
        bool is_defined = slot.kind == LAXITY_TRACE_GLOBAL;
        defined_.emplace_back(is_defined ? 0 : slot.size_bytes, false);
    }
    std::fill(defined_[number].begin(), defined_[number].end(), false);
    if (slot.kind == LAXITY_TRACE_ARGUMENT) {
        given_[slot.index].push_back(number);
    }
    if (exists_[number]) {
        return number;
    }
    // Whatever was there has died without a word of its own: a frame that was left.
    for (auto place = places_.upper_bound(slot.address);
         place != places_.end() &&
         result_.slots[place->second].address < slot.address + slot.size_bytes;) {
        exists_[place->second] = false;
        place = places_.erase(place);
    }
    places_[slot.address + slot.size_bytes] = number;
    exists_[number] = true;
    return number;
}

// Where the caller put what it passed by value it puts the unnamed arguments of its next call,
// which are no object.
void Resolver::leave(const llvm::Function &function)
{
    auto arguments = by_value_.find(&function);
    if (arguments == by_value_.end()) {
        return;
    }
    for (uint32_t argument : arguments->second) {
        std::vector<uint32_t> &slots = given_[argument];
        if (slots.empty()) {
            continue;
        }
        const Slot &slot = result_.slots[slots.back()];
        if (exists_[slots.back()]) {
            exists_[slots.back()] = false;
            places_.erase(slot.address + slot.size_bytes);
        }
        slots.pop_back();
    }
}

Resolver::Place Resolver::place_of(uint64_t address, uint32_t &last_slot)
{
    if (last_slot != NO_SLOT && exists_[last_slot]) {
        const Slot &slot = result_.slots[last_slot];
        if (address - slot.address < slot.size_bytes) {
            return {last_slot, address - slot.address};
        }
    }
    auto place = places_.upper_bound(address);
    if (place == places_.end() || result_.slots[place->second].address > address) {
        result_.foreign_accesses++;
        return {NO_SLOT, 0};
    }
    last_slot = place->second;
    return {last_slot, address - result_.slots[last_slot].address};
}

void Resolver::read(size_t position, Place place, uint64_t size_bytes)
{
    if (place.slot == NO_SLOT || defined_[place.slot].empty()) {
        return;
    }
    const std::vector<bool> &defined = defined_[place.slot];
    uint64_t end = std::min<uint64_t>(place.offset + size_bytes, defined.size());
    std::vector<bool> undefined;
    for (uint64_t i = place.offset; i < end; i++) {
        if (!defined[i]) {
            undefined.resize(size_bytes, false);
            undefined[i - place.offset] = true;
            result_.undefined_bytes++;
        }
    }
    if (!undefined.empty()) {
        result_.undefined[position] = std::move(undefined);
    }
}

void Resolver::define(Place place, uint64_t size_bytes, bool is_defined)
{
    if (place.slot == NO_SLOT || defined_[place.slot].empty()) {
        return;
    }
    std::vector<bool> &defined = defined_[place.slot];
    uint64_t end = std::min<uint64_t>(place.offset + size_bytes, defined.size());
    for (uint64_t i = place.offset; i < end; i++) {
        defined[i] = is_defined;
    }
}

void Resolver::take_access(size_t position, uint32_t instruction)
{
    MemoryEffect effect = effects_[instruction];
    Place place = place_of(payload_of(trace_[position]), last_slots_[instruction]);
    read(position, place, effect.read_bytes);
    define(place, effect.written_bytes, true);
    put_place(position, place);
}

void Resolver::take_alloca(size_t position, uint32_t instruction)
{
    const auto &alloca = llvm::cast<llvm::AllocaInst>(*numbering_.instructions[instruction]);
    uint64_t size_bytes = size_bytes_;
    if (auto constant_bytes = alloca.getAllocationSize(alloca.getModule()->getDataLayout())) {
        size_bytes = constant_bytes->getFixedValue();
    }
    Place place{NO_SLOT, 0};
    if (size_bytes > 0) {
        place.slot = give_birth(
            {payload_of(trace_[position]), size_bytes, LAXITY_TRACE_INSTRUCTION, instruction}
        );
    }
    put_place(position, place);
}

void Resolver::take_range(size_t position)
{
    uint64_t word = trace_[position];
    if (tag_of(word) == LAXITY_TRACE_BIRTH) {
        auto kind = static_cast<laxity_trace_object>(object_ >> 32);
        auto index = static_cast<uint32_t>(object_);
        put_place(position, {give_birth({payload_of(word), size_bytes_, kind, index}), 0});
        return;
    }
    Place place = place_of(payload_of(word), last_range_slot_);
    if (tag_of(word) == LAXITY_TRACE_READ) {
        read(position, place, size_bytes_);
    } else {
        define(place, size_bytes_, tag_of(word) == LAXITY_TRACE_WRITE);
    }
    put_place(position, place);
}

// Only now is it known which instructions the addresses belong to.
bool Resolver::take_segment(size_t end)
{
    uint32_t last = upper_payload(trace_[end]);
    if (last >= numbering_.instructions.size()) {
        return false;
    }
    size_t next = 0;
    for (uint32_t i = numbering_.segment_begin(last); i < last; i++) {
        Traced traced = numbering_.traced[i];
        if (traced != Traced::Access && traced != Traced::SizedAccess) {
            continue;
        }
        if (next == pending_.size()) {
            return false;
        }
        size_t position = pending_[next++];
        if (llvm::isa<llvm::AllocaInst>(numbering_.instructions[i])) {
            size_bytes_ = position > 0 ? payload_of(trace_[position - 1]) : 0;
            take_alloca(position, i);
        } else {
            take_access(position, i);
        }
    }
    if (llvm::isa<llvm::ReturnInst>(numbering_.instructions[last])) {
        leave(*numbering_.instructions[last]->getFunction());
    }
    bool is_whole = next == pending_.size();
    pending_.clear();
    return is_whole;
}

bool Resolver::take_word(size_t position)
{
    uint64_t word = trace_[position];
    out_[position] = word;
    switch (tag_of(word)) {
    case LAXITY_TRACE_ADDRESS:
        pending_.push_back(position);
        return true;
    case LAXITY_TRACE_SEGMENT:
        return take_segment(position);
    case LAXITY_TRACE_SIZE:
        size_bytes_ = payload_of(word);
        return true;
    case LAXITY_TRACE_OBJECT:
        object_ = payload_of(word);
        return true;
    case LAXITY_TRACE_READ:
    case LAXITY_TRACE_WRITE:
    case LAXITY_TRACE_FORGET:
    case LAXITY_TRACE_BIRTH:
        take_range(position);
        return true;
    case LAXITY_TRACE_SITE:
        site_ = lower_payload(word);
        return true;
    case LAXITY_TRACE_CONTEXT:
        result_.contexts.push_back({lower_payload(word), site_, upper_payload(word)});
        return true;
    case LAXITY_TRACE_RECURSION:
        result_.recursions.push_back({lower_payload(word), site_, upper_payload(word)});
        return true;
    default:
        return tag_of(word) == LAXITY_TRACE_END;
    }
}

llvm::Expected<Resolved> Resolver::run()
{
    for (size_t i = 0; i < trace_.size(); i++) {
        if (!take_word(i)) {
            return llvm::createStringError(
                "word " + std::to_string(i) +
                " of the trace does not fit the module; trace the same file that is checked"
            );
        }
    }
    return std::move(result_);
}

} // namespace

llvm::Expected<Resolved>
resolve(std::span<const uint64_t> trace, const Numbering &numbering, std::span<uint64_t> out)
{
    return Resolver(trace, numbering, out).run();
}

} // namespace laxity::workingset::oracle

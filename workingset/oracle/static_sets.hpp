// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
// What the judge asks the analysis. The only place of the oracle that knows the analysis's
// interface is static_sets.cpp.
#ifndef LAXITY_WORKINGSET_STATIC_SETS_HPP
#define LAXITY_WORKINGSET_STATIC_SETS_HPP

#include "analysis/annotations.hpp"
#include "llvm/ADT/BitVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "resolve.hpp"
#include "set_table.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace laxity::workingset::oracle {

// Classes of memory that the precision is given for; an object of none (many instances) is checked,
// too, but no ratio holds it.
enum class MemoryClass : uint8_t {
    Stack,
    Global,
    Constant,
    Heap,
    Other
};
constexpr unsigned MEMORY_CLASSES = 5;
[[nodiscard]] const char *memory_class_name(MemoryClass memory_class);

constexpr unsigned OUTSIDE = ~0U;
constexpr unsigned IMPOSSIBLE = OUTSIDE - 1;

struct StaticObject {
    std::string name;
    MemoryClass memory_class = MemoryClass::Other;
    bool has_many_instances = false;
    bool is_volatile = false; // live everywhere, whatever overwrites it
    uint64_t size_bytes = 0;  // 0: not known
};

// Bytes of an object that the analysis does not tell apart.
struct StaticCell {
    unsigned object;
    uint64_t first_byte;
    uint64_t end_byte; // UINT64_MAX: to the end, wherever that is
    [[nodiscard]] uint64_t size_bytes() const
    {
        return end_byte - first_byte;
    }
};

class StaticSets {
  public:
    struct Options {
        std::string job;                       // empty: the program
        std::vector<std::string> outputs = {}; // read after each job by somebody outside
        Annotations annotations = {};
    };

    [[nodiscard]] static llvm::Expected<std::unique_ptr<StaticSets>>
    analyse(const llvm::Module &module, const Options &options);

    virtual ~StaticSets() = default;

    // By the value that makes it: a global variable, an alloca, the call of an allocator, a
    // by-value argument.
    [[nodiscard]] virtual std::optional<unsigned> object_of(const llvm::Value &value) const = 0;
    [[nodiscard]] virtual const StaticObject &object(unsigned object) const = 0;
    [[nodiscard]] virtual unsigned object_count() const = 0;

    [[nodiscard]] virtual unsigned cell_count() const = 0;
    [[nodiscard]] virtual unsigned cell_of(unsigned object, uint64_t offset) const = 0;
    [[nodiscard]] virtual const StaticCell &cell(unsigned cell) const = 0;

    // By context of the trace: the analysis's context, OUTSIDE of what is analysed (before the
    // first job), or IMPOSSIBLE. Contexts of the trace in which the same is live everywhere are
    // one.
    [[nodiscard]] virtual std::vector<unsigned>
    find_contexts(const Resolved &resolved, const Numbering &numbering) = 0;

    // Whether the analysis says that the instruction can be executed in this context at all.
    [[nodiscard]] virtual bool
    may_execute(unsigned context, const llvm::Instruction &instruction) const = 0;

    // Cells that are live just before the instruction, as a number in sets().
    [[nodiscard]] virtual uint32_t
    live_set(unsigned context, const llvm::Instruction &instruction) = 0;
    [[nodiscard]] const SetTable &sets() const
    {
        return table_;
    }
    [[nodiscard]] const llvm::BitVector &
    live_cells(unsigned context, const llvm::Instruction &instruction)
    {
        return table_[live_set(context, instruction)];
    }
    // The number of any other set of cells.
    [[nodiscard]] uint32_t number_of(llvm::BitVector cells)
    {
        return table_.number_of(std::move(cells));
    }

    // Bits of SSA values that the analysis reports before an instruction, and of what stays in the
    // frame while a call runs; both of the instruction's own function.
    [[nodiscard]] virtual uint64_t value_bits(const llvm::Instruction &instruction) const = 0;
    [[nodiscard]] virtual uint64_t value_bits_across(const llvm::Instruction &call) const = 0;

    // Objects that the address of a load, store or atomic operation may lie in, by the analysis.
    [[nodiscard]] virtual std::vector<unsigned> may_touch(const llvm::Instruction &instruction
    ) const = 0;

    // Functions that the program calls and that the analysis's model table has no row for. Sound,
    // but the oracle knows what they do, so the row is missing.
    [[nodiscard]] virtual std::vector<std::string> externals_without_model() const = 0;

  private:
    SetTable table_;
};

} // namespace laxity::workingset::oracle

#endif

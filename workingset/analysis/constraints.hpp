// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/external_models.hpp"
#include "analysis/objects.hpp"
#include "analysis/points_to.hpp"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace laxity::workingset {

/*
 * What every pointer of a module may point to, and what every call may call.
 *
 * Integers are followed as pointers are, so that pointers copied in pieces are found. Memory that
 * something outside of the module may know has escaped: a function that is not in the model table
 * reads, writes and keeps everything that has.
 */
class PointerAnalysis {
  public:
    struct Budget {
        uint64_t sets = 40'000'000;   // of points-to: 640 MB of them, or minutes
        uint64_t places = 10'000'000; // of all accesses together
    };

    /*
     * Devices, which read and write memory whose address the program left with them: by a volatile
     * or atomic store that may go outside or into a register, by any store to memory that may be a
     * device's, by assembly. They know what a value was computed from, whatever the arithmetic, by
     * which index it was read from a table, and what that leads to.
     *
     * A device's may be: what lies at an address that is a number, what a function in no row hands
     * out or leaves in memory that it was passed, variables that are only declared and not of the C
     * library, and what such memory holds the address of.
     *
     * To find what they know is a question of its own: where other code outside would copy
     * addresses to is left out, or a device would know all that any function was passed. The
     * analysis that everything else rests on is told the answer. With branches, a value that is
     * stored, passed, returned or chosen in a block counts as computed from the conditions that
     * lead there.
     */
    enum class Question : uint8_t {
        None,
        Devices,
        DevicesByBranches
    };
    struct Devices {
        std::vector<unsigned> known = {};     // objects whose addresses they have
        std::vector<unsigned> registers = {}; // objects that count as a device's, if asked
        Question question = Question::None;
    };

    PointerAnalysis(
        const llvm::Module &module, const ObjectTable &objects, Budget budget, Devices devices
    );

    /* Whether to ask is worthwhile: there is an instruction that may leave an address with one. */
    [[nodiscard]] bool may_address_devices() const
    {
        return may_address_devices_;
    }
    /* If that was asked: the objects of the program that devices know, ascending. All of them
     * beyond the budget. */
    [[nodiscard]] std::vector<unsigned> known_to_devices() const;

    /* Collapsed objects among them are one place, in the environment. */
    [[nodiscard]] llvm::SmallVector<Location, 4> targets(const llvm::Value &pointer) const;

    /*
     * Where the sets of all accesses together are beyond all bounds, objects of the largest sets
     * are told apart no more: somebody always reads them.
     */
    [[nodiscard]] bool is_collapsed(unsigned object) const
    {
        return is_fallback_ || collapsed_.test(object);
    }
    [[nodiscard]] size_t collapsed_objects() const
    {
        return is_fallback_ ? objects_.size() : collapsed_.count();
    }

    /* Functions that a call may enter at once: defined and declared ones, and those that a callee
     * of the table calls back. */
    [[nodiscard]] const llvm::SetVector<const llvm::Function *> &callees(const llvm::CallBase &call
    ) const;

    /* The call may also enter a function that this module does not know. */
    [[nodiscard]] bool may_call_unknown(const llvm::CallBase &call) const
    {
        return unknown_calls_.contains(&call);
    }
    /* One of them may have kept memory of this module for the C library to use: a stream's buffer.
     */
    [[nodiscard]] bool has_unknown_functions() const
    {
        return llvm::any_of(unknown_calls_, [](const llvm::CallBase *call) {
            return !call->isInlineAsm();
        });
    }
    /* One of them may have left a function of this module to be called when the process ends. */
    [[nodiscard]] bool may_have_unknown_handlers() const;
    /* One of them, or a store of the program: into `environ`, or what main is given. */
    [[nodiscard]] bool may_keep_memory() const
    {
        return has_unknown_functions() || hands_over_addresses_;
    }
    /* Everything that code outside of the module may read and write. */
    [[nodiscard]] llvm::SmallVector<Location, 4> escaped() const;
    /* Where threads and signals are: what the global variables lead to, for every one of them. */
    [[nodiscard]] llvm::SmallVector<Location, 4> shared() const;
    [[nodiscard]] const llvm::SetVector<const llvm::Function *> &escaped_functions() const
    {
        return escaped_functions_;
    }
    /* Functions that may run beside the others: started as threads or by signals. */
    [[nodiscard]] const llvm::SetVector<const llvm::Function *> &concurrent_functions() const
    {
        return concurrent_functions_;
    }
    [[nodiscard]] const llvm::SetVector<const llvm::Function *> &exit_functions() const
    {
        return exit_functions_;
    }
    [[nodiscard]] bool is_concurrent() const
    {
        return is_concurrent_;
    }
    /* The module has places to which code that nobody knows may jump: where it calls setjmp. */
    [[nodiscard]] bool has_second_returns() const
    {
        return has_second_returns_;
    }
    /* The sets grew beyond all bounds: every pointer may now point to every object. */
    [[nodiscard]] bool is_fallback() const
    {
        return is_fallback_;
    }

  private:
    enum class WatchKind : uint8_t {
        Call,
        Callback,
        Escape,
        Concurrent,
        Atexit,
        Store,       // of `value` through the node
        SharedStore, // the same, volatile or atomic
        Device
    };
    struct Watch {
        WatchKind kind;
        const llvm::CallBase *call;
        unsigned value = 0;
    };

    void add_globals();
    void add_placed_globals();
    void add_function(const llvm::Function &function);
    void add_instruction(const llvm::Instruction &instruction);
    void add_memory_instruction(const llvm::Instruction &instruction);
    void add_arithmetic(const llvm::Instruction &instruction);
    void add_call(const llvm::CallBase &call);
    void add_intrinsic(const llvm::IntrinsicInst &call);
    void add_masked(const llvm::IntrinsicInst &call);
    void add_other_intrinsic(const llvm::IntrinsicInst &call);
    void bind(const llvm::CallBase &call, const llvm::Function &callee);
    void bind_defined(const llvm::CallBase &call, const llvm::Function &callee);
    void bind_unnamed(const llvm::CallBase &call, unsigned number, const llvm::Function &callee);
    void bind_model(const llvm::CallBase &call, const ExternalModel &model);
    void bind_effect(const llvm::CallBase &call, const ExternalModel &model);
    void bind_unknown(const llvm::CallBase &call, const llvm::Function *callee = nullptr);
    void bind_callback(const llvm::CallBase &call, const llvm::Function &callee);
    void escape_function(const llvm::Function &function);
    void on_target(unsigned tag, unsigned object);
    bool bind_unresolved();
    bool share_globals();
    bool name_numbers();
    void collapse(uint64_t budget);
    [[nodiscard]] bool leads_outside(const llvm::Value &pointer, const llvm::Value &address) const;
    [[nodiscard]] bool hands_over_address(const llvm::Instruction &instruction) const;
    [[nodiscard]] bool
    hands_over_address(const llvm::CallBase &call, const ExternalModel &model) const;
    void add_contents(const llvm::Constant &initializer, unsigned node);
    void add_gep(const llvm::User &gep, unsigned node);
    void fill_constant(const llvm::Constant &constant, unsigned node);
    void copy_contents(
        const llvm::Value &from_pointer,
        const llvm::Value &to_pointer,
        const llvm::Instruction &by,
        bool is_shared = false
    );
    void add_store(
        const llvm::Value &pointer, unsigned value, const llvm::Instruction &by, bool is_shared
    );
    void ask_devices();
    void note_device_memory(unsigned node);
    void note_unknown_function();
    [[nodiscard]] bool is_asked() const
    {
        return devices_.question != Question::None;
    }
    [[nodiscard]] bool carries_pointer(const llvm::Type &type) const;
    [[nodiscard]] bool is_followed(const llvm::Instruction &arithmetic) const;
    [[nodiscard]] bool is_own_address(
        const llvm::Value &number, llvm::DenseMap<const llvm::Value *, bool> &found
    ) const;
    void load_at_indices(const llvm::LoadInst &load);
    void add_indices(const llvm::Value &pointer, unsigned node);
    void add_branches(const llvm::Function &function);
    void add_dependence(const llvm::BasicBlock &branch, const llvm::BasicBlock &block);
    unsigned entry_control(const llvm::Function &function);
    void add_entry(const llvm::CallBase &call, const llvm::Function &callee);
    void add_control(const llvm::BasicBlock &block, unsigned node);
    void add_choice(const llvm::PHINode &phi, unsigned node);
    void give_to_device(const llvm::CallBase &call);
    void on_device_target(const Watch &watched, unsigned object);
    void note_number(const llvm::Value &number, unsigned node);
    void watch(unsigned node, WatchKind kind, const llvm::CallBase *call, unsigned value = 0);
    unsigned node_of(const llvm::Value &value);
    unsigned return_node(const llvm::Function &function);

    const llvm::Module &module_;
    const ObjectTable &objects_;
    const Devices devices_;
    PointsToSolver solver_;
    unsigned escaped_;
    std::optional<unsigned> shared_;
    unsigned known_, device_writes_; // to devices, if asked
    unsigned device_memory_;         // the address of what may be a device's
    unsigned placed_; // what lies in a section of its own, where the linker's symbols point to
    llvm::DenseMap<const llvm::Value *, unsigned> nodes_;
    llvm::DenseMap<const llvm::Function *, unsigned> returns_;
    // What decides whether a block, resp. a function, is entered; if asked about branches.
    llvm::DenseMap<const llvm::BasicBlock *, unsigned> block_controls_;
    llvm::DenseMap<const llvm::Function *, unsigned> entry_controls_;
    std::vector<std::pair<const llvm::Value *, unsigned>> numbers_; // and the addresses they become
    llvm::DenseMap<const llvm::Value *, unsigned> loaded_;          // from a table: what it holds
    llvm::DenseMap<const llvm::CallBase *, llvm::SetVector<const llvm::Function *>> callees_;
    llvm::SetVector<const llvm::CallBase *> indirect_calls_, unknown_calls_;
    llvm::SetVector<const llvm::Function *> escaped_functions_, concurrent_functions_,
        exit_functions_;
    std::vector<Watch> watches_;
    llvm::BitVector collapsed_; // per object
    bool has_second_returns_;
    bool is_concurrent_ = false;
    bool hands_over_addresses_ = false; // the program stores them where the environment finds them
    bool may_address_devices_ = false;
    bool has_unknown_function_ = false;
    bool is_fallback_ = false;
};

/* Assembly without an instruction, which only keeps its operands. */
[[nodiscard]] bool is_empty_assembly(const llvm::CallBase &call);

} // namespace laxity::workingset

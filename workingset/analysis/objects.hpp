// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#pragma once

#include "analysis/module_copies.hpp"

#include <array>
#include <cstdint>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <optional>
#include <string>
#include <vector>

namespace laxity::workingset {

/* Where live bits are, in the order of the columns of workingset.csv. */
enum class StorageClass : uint8_t {
    Ssa,
    Stack,
    Global,
    Constant,
    Heap,
    Volatile
};
inline constexpr size_t STORAGE_CLASSES = 6;
/* As columns and documents call them. */
inline constexpr std::array<const char *, STORAGE_CLASSES> CLASS_NAMES = {
    "ssa", "stack", "global", "const", "heap", "volatile"
};

enum class ObjectKind : uint8_t {
    Function,    // for calls through pointers; no bytes
    Global,      // a global variable of the module
    Alloca,      // one alloca instruction: all its instances
    ByvalCopy,   // what a byval argument points to in the callee
    Varargs,     // the unnamed arguments of a function, as va_arg reads them
    Heap,        // all that one allocating call returns
    Environment, // memory of nobody known here: C library, kernel, other modules
};

/*
 * A piece of memory that the program names: global by its name, alloca by function and number, heap
 * by its allocating call. `value` is the global, alloca, call or argument.
 */
struct Object {
    ObjectKind kind;
    StorageClass storage;
    const llvm::Value *value;
    const llvm::Function *function; // whose frame or call; nullptr for globals and the environment
    std::string name;               // "table", "main:0:buffer", "main:malloc:12"
    std::optional<uint64_t> size_bytes;
    // More than one instance may exist at a time: a write of one is no write of all, and bits are
    // per instance.
    bool has_many_instances = false;
    // As annotated: so many at most; nullopt: nobody says.
    std::optional<uint64_t> most_instances = std::nullopt;
    bool is_volatile = false;
    // A device may read it, resp. write it, at any time.
    bool is_device_read = false, is_device_written = false;

    /* It has bytes of the program's own: nothing can be said of others. */
    [[nodiscard]] bool is_memory() const
    {
        return kind != ObjectKind::Function && kind != ObjectKind::Environment;
    }
    /* As the source calls it, or the bitcode where that does not say; "": it has no name. */
    [[nodiscard]] std::string variable() const;
};

class ObjectTable {
  public:
    /* Object 0 is the environment. */
    static constexpr unsigned ENVIRONMENT = 0;
    /* The last one: what has a number for its address, which the environment is, too. */
    [[nodiscard]] unsigned device() const
    {
        return device_;
    }

    ObjectTable(const llvm::Module &module, const ModuleIndex &index);

    /* What makes an object makes the same one in every copy: of a function that is active at most
     * once, so are its copies together. */
    void add_copies(const ModuleCopies &copies, const ModuleIndex &index);

    [[nodiscard]] unsigned size() const
    {
        return static_cast<unsigned>(objects_.size());
    }
    [[nodiscard]] const Object &operator[](unsigned number) const
    {
        return objects_[number];
    }
    [[nodiscard]] Object &at(unsigned number)
    {
        return objects_[number];
    }
    [[nodiscard]] std::optional<unsigned> find(const llvm::Value &value) const;
    /* Of a global, an alloca or a byval argument: it has one. */
    [[nodiscard]] unsigned number(const llvm::Value &value) const
    {
        return numbers_.at(&value);
    }

    /* What the unnamed arguments of calls to `function` are stored in. */
    [[nodiscard]] std::optional<unsigned> find_varargs(const llvm::Function &function) const;

    /* The user's function, given it or a copy of it. */
    [[nodiscard]] const llvm::Function &original(const llvm::Function &function) const
    {
        auto found = originals_.find(&function);
        return found == originals_.end() ? function : *found->second;
    }
    /* Of an object that is a function, what the analysed module has for it; nullptr: nothing calls
     * it. */
    [[nodiscard]] const llvm::Function *find_function(unsigned object) const;

  private:
    void add_globals(const llvm::Module &module);
    void add_frame(const llvm::Function &function, const ModuleIndex &index);
    void add_heap_site(const llvm::CallBase &call, unsigned number);
    unsigned add(Object object);

    std::vector<Object> objects_;
    unsigned device_ = ENVIRONMENT;
    llvm::DenseMap<const llvm::Value *, unsigned> numbers_;
    llvm::DenseMap<const llvm::Function *, unsigned> varargs_;
    bool has_allocator_in_memory_ = false; // some call through a pointer may be to it
    llvm::DenseMap<const llvm::Function *, const llvm::Function *> originals_;
    llvm::DenseMap<const llvm::Value *, const llvm::Function *> functions_; // by original
};

} // namespace laxity::workingset

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* The architectures of programs, as LLVM knows them. */
#ifndef LAXITY_SIM_ARCHITECTURE_HPP
#define LAXITY_SIM_ARCHITECTURE_HPP

#include <array>

namespace laxity {

struct Architecture {
    const char *name; /* as in schema/platform.toml */
    const char *triple;
    const char *thumb_triple; /* of code in the other of two states; null: there is one */
    const char *features;     /* what its programs may use, whatever the processor is called */
    /* Classes of registers that have one number each, with all their parts; the largest ones. */
    std::array<const char *, 5> whole_classes;
    std::array<const char *, 3> no_registers; /* the program counter, those always zero */
    const char *pointer_class; /* of base registers that a load may update; null: it does not */
    std::array<const char *, 3> pointers; /* that are moved by instructions that do not name them */
};

/* Null: there is none of this name. */
const Architecture *find_architecture(const char *name);

/* Makes LLVM know all of them. */
void initialize_targets();

} // namespace laxity

#endif

// SPDX-FileCopyrightText: 2026 The laxity authors
// SPDX-License-Identifier: MIT
#include "analysis/external_models.hpp"

#include "analysis/faults.hpp"

#include <algorithm>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/ErrorHandling.h>

namespace laxity::workingset {

namespace {

struct ModelRow {
    llvm::StringRef name, reads, writes, returns, escapes, effect;
};

constexpr ModelRow ROWS[] = {
#define MODEL(name, reads, writes, returns, escapes, effect)                                       \
    {name, reads, writes, returns, escapes, effect},
#define ANYTHING(name)
#define CONCURRENT(name)
#include "analysis/external_models.def"
#undef CONCURRENT
#undef ANYTHING
#undef MODEL
};

constexpr llvm::StringRef DOING_ANYTHING[] = {
#define MODEL(name, reads, writes, returns, escapes, effect)
#define ANYTHING(name) name,
#define CONCURRENT(name)
#include "analysis/external_models.def"
#undef CONCURRENT
#undef ANYTHING
#undef MODEL
};

constexpr llvm::StringRef GOING_ON[] = {
#define MODEL(name, reads, writes, returns, escapes, effect)
#define ANYTHING(name)
#define CONCURRENT(name) name,
#include "analysis/external_models.def"
#undef CONCURRENT
#undef ANYTHING
#undef MODEL
};

/* The table is part of the program: a word that cannot be read is our fault, not the user's. */
unsigned parse_argument(llvm::StringRef word)
{
    unsigned number = 0;
    if (word == "...") {
        return ModelAccess::VARIADIC;
    }
    if (word == "r") {
        return ModelAccess::RESULT;
    }
    if (word.getAsInteger(10, number)) {
        llvm::report_fatal_error("external_models.def: a bad argument number");
    }
    return number;
}

Extent parse_extent(llvm::StringRef text)
{
    Extent extent;
    if (text == "s" || text == "*") {
        return extent;
    }
    if (text == "p") {
        extent.kind = Extent::Kind::Pointer;
        return extent;
    }
    if (text == "t") {
        extent.kind = Extent::Kind::TypeInfo;
        return extent;
    }
    if (!text.getAsInteger(10, extent.bytes)) {
        extent.kind = Extent::Kind::Constant;
        return extent;
    }
    extent.kind = Extent::Kind::Arguments;
    llvm::SmallVector<llvm::StringRef, 2> factors;
    text.split(factors, '*');
    for (llvm::StringRef factor : factors) {
        extent.arguments.push_back(parse_argument(factor.drop_front()));
    }
    return extent;
}

llvm::SmallVector<ModelAccess, 2> parse_accesses(llvm::StringRef text)
{
    llvm::SmallVector<ModelAccess, 2> accesses;
    llvm::SmallVector<llvm::StringRef, 4> words;
    text.split(words, ' ', -1, false);
    for (llvm::StringRef word : words) {
        const bool is_certain = word.consume_back("!");
        const auto [argument, extent] = word.drop_back().split('[');
        accesses.push_back(
            {.argument = parse_argument(argument),
             .extent = parse_extent(extent),
             .is_certain = is_certain}
        );
    }
    return accesses;
}

void parse_returns(llvm::StringRef text, ExternalModel &model)
{
    llvm::SmallVector<llvm::StringRef, 2> words;
    text.split(words, ' ', -1, false);
    for (llvm::StringRef word : words) {
        if (word == "env") {
            model.returns_environment = true;
        } else if (word.consume_front("new")) {
            model.returns_new = true;
            llvm::SmallVector<llvm::StringRef, 2> factors;
            word.trim("()").split(factors, '*', -1, false);
            for (llvm::StringRef factor : factors) {
                model.size_arguments.push_back(parse_argument(factor));
            }
        } else {
            model.returned_argument = parse_argument(word);
        }
    }
}

void parse_effect(llvm::StringRef text, ExternalModel &model)
{
    llvm::SmallVector<llvm::StringRef, 3> words;
    text.split(words, ' ', -1, false);
    if (words.empty()) {
        return;
    }
    model.effect = llvm::StringSwitch<ExternalEffect>(words[0])
                       .Case("exits", ExternalEffect::Exits)
                       .Case("aborts", ExternalEffect::Aborts)
                       .Case("throws", ExternalEffect::Throws)
                       .Case("unwinds", ExternalEffect::Unwinds)
                       .Case("setjmp", ExternalEffect::Setjmp)
                       .Case("longjmp", ExternalEffect::Longjmp)
                       .Case("atexit", ExternalEffect::Atexit)
                       .Case("calls", ExternalEffect::Calls)
                       .Case("concurrent", ExternalEffect::Concurrent)
                       .Case("stores", ExternalEffect::Stores)
                       .Case("formats", ExternalEffect::Formats);
    for (size_t i = 1; i < words.size() && i <= 2; i++) {
        model.effect_arguments[i - 1] =
            words[i] == "*" ? ExternalModel::ANY : parse_argument(words[i]);
    }
}

/* Of a faulty build: the columns that are forgotten. */
ModelRow without_dropped(ModelRow row)
{
    const auto drop = [&row](llvm::StringRef &text, llvm::StringRef column) {
        if (is_dropped_column(row.name, column)) {
            text = "";
        }
    };
    drop(row.reads, "reads");
    drop(row.writes, "writes");
    drop(row.returns, "returns");
    drop(row.escapes, "escapes");
    drop(row.effect, "effect");
    return row;
}

ExternalModel parse_row(const ModelRow &row)
{
    ExternalModel model;
    llvm::StringRef reads = row.reads;
    model.touches_kept = reads.consume_back("kept");
    model.reads = parse_accesses(reads);
    model.writes = parse_accesses(row.writes);
    parse_returns(row.returns, model);
    llvm::SmallVector<llvm::StringRef, 2> words;
    row.escapes.split(words, ' ', -1, false);
    for (llvm::StringRef word : words) {
        model.escapes.push_back(parse_argument(word));
    }
    parse_effect(row.effect, model);
    return model;
}

llvm::StringMap<ExternalModel> parse_table()
{
    llvm::StringMap<ExternalModel> models;
    for (const ModelRow &row : ROWS) {
        if (!is_dropped_row(row.name)) {
            models[row.name] = parse_row(without_dropped(row));
        }
    }
    return models;
}

/* Is there a conversion of one of `kinds`? What follows a "%" within a set of scanf is taken for
 * one too: once too often at most. */
bool has_conversion(llvm::StringRef format, llvm::StringRef kinds)
{
    constexpr llvm::StringLiteral BEFORE_CONVERSION = "-+ #0'123456789.*$hlLqjztI";
    for (size_t at = format.find('%'); at != llvm::StringRef::npos; at = format.find('%', at)) {
        at = format.find_first_not_of(BEFORE_CONVERSION, at + 1);
        if (at == llvm::StringRef::npos) {
            return false;
        }
        if (kinds.contains(format[at])) {
            return true;
        }
        at++;
    }
    return false;
}

/* The format is no constant, or stores through its arguments what the model does not say. */
bool has_unknown_format(const llvm::CallBase &call, const ExternalModel &model)
{
    if (model.effect != ExternalEffect::Formats) {
        return false;
    }
    const bool stores = llvm::any_of(model.writes, [](const ModelAccess &access) {
        return access.argument == ModelAccess::VARIADIC;
    });
    llvm::StringRef format;
    const unsigned number = model.effect_arguments[0];
    return number >= call.arg_size() ||
           !llvm::getConstantStringInfo(call.getArgOperand(number), format) ||
           has_conversion(format, stores ? "pm" : "n");
}

/* How many arguments there are at least, by those that a model names. */
unsigned count_arguments(const ExternalModel &model)
{
    unsigned count = 0;
    const auto add = [&count](unsigned argument) {
        // VARIADIC, RESULT and ANY are no arguments.
        count = argument < ModelAccess::RESULT ? std::max(count, argument + 1) : count;
    };
    for (const auto *accesses : {&model.reads, &model.writes}) {
        for (const ModelAccess &access : *accesses) {
            add(access.argument);
            llvm::for_each(access.extent.arguments, add);
        }
    }
    llvm::for_each(model.escapes, add);
    llvm::for_each(model.size_arguments, add);
    llvm::for_each(model.effect_arguments, add);
    add(model.returned_argument.value_or(ModelAccess::RESULT));
    return count;
}

} // namespace

bool is_unnamed(const llvm::CallBase &call, unsigned number, const ExternalModel &model)
{
    unsigned named = call.getFunctionType()->getNumParams();
    if (model.effect == ExternalEffect::Formats) {
        named = std::min(named, model.effect_arguments[0] + 1); // called without a prototype
    }
    return number >= named;
}

bool holds_for(const ExternalModel &model, const llvm::CallBase &call)
{
    return count_arguments(model) <= call.arg_size() && !has_unknown_format(call, model);
}

const ExternalModel *find_external_model(const llvm::Function &function)
{
    static const llvm::StringMap<ExternalModel> models = parse_table();
    if (!function.isDeclaration()) {
        return nullptr;
    }
    auto found = models.find(function.getName());
    return found == models.end() ? nullptr : &found->second;
}

bool is_known_to_do_anything(const llvm::Function &function)
{
    return function.isDeclaration() && !is_dropped_row(function.getName()) &&
           llvm::is_contained(DOING_ANYTHING, function.getName());
}

bool goes_on_beside_caller(const llvm::Function &function)
{
    return function.isDeclaration() && llvm::is_contained(GOING_ON, function.getName());
}

namespace {

// They return a number, and store the address of what they have taken from the heap.
constexpr llvm::StringRef STORING_ALLOCATORS[] = {
    "posix_memalign",
    "asprintf",
    "vasprintf",
    "__asprintf_chk",
    "__vasprintf_chk",
    "getline",
    "getdelim",
    "__getdelim",
    "scandir",
    "glob",
    "getaddrinfo"
};

/* A reference of C++ is what the callee was given, or a variable. */
bool may_allocate(const llvm::Function &function)
{
    const llvm::AttributeList attributes = function.getAttributes();
    const bool is_reference = attributes.hasRetAttr(llvm::Attribute::Dereferenceable) ||
                              attributes.hasAttrSomewhere(llvm::Attribute::Returned);
    return (function.getReturnType()->isPointerTy() && !is_reference) ||
           llvm::is_contained(STORING_ALLOCATORS, function.getName());
}

} // namespace

bool may_hand_out_memory(const llvm::Function &function)
{
    return function.isDeclaration() && find_external_model(function) == nullptr &&
           (!is_known_to_do_anything(function) || may_allocate(function));
}

std::vector<std::string> find_unknown_allocators(const llvm::Module &module)
{
    std::vector<std::string> names;
    for (const llvm::Function &function : module) {
        if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
            find_external_model(function) == nullptr && may_allocate(function)) {
            names.push_back(function.getName().str());
        }
    }
    return names;
}

} // namespace laxity::workingset

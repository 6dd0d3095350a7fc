/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * test_decode_program ARCHITECTURE OBJDUMP PROGRAM: the decoder against binutils, over all code of
 * a program: the same sizes, nothing that cannot be decoded, and ARM told from Thumb.
 */
#include "../test.h"
#include "base/error.h"
#include "decode/code_state.hpp"
#include "interface/decoder.h"
#include "interface/engine.h"

#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr std::size_t BLOCK_INSTRUCTIONS = 32;

const char *architecture;
const char *program;
const char *listing;

/* An instruction as objdump prints it: "   103e0:\t4b01      \tldr\tr3, [pc, #4]". */
struct Line {
    std::uint64_t address = 0;
    std::vector<std::uint8_t> code;
    std::size_t digits = 0; /* of its first group: four for Thumb, eight for ARM */
    std::string text;
};

/* Groups of more than two digits are numbers, of two digits bytes. */
void append_group(Line &line, const std::string &group)
{
    for (std::size_t i = 0; i < group.size(); i += 2) {
        const std::size_t at = group.size() == 2 ? i : group.size() - 2 - i;
        line.code.push_back(
            static_cast<std::uint8_t>(std::strtoul(group.substr(at, 2).c_str(), nullptr, 16))
        );
    }
}

/* False: it is no instruction. */
bool read_line(const std::string &from, Line &line)
{
    const std::size_t colon = from.find(":\t");
    const std::size_t end = colon == std::string::npos ? colon : from.find('\t', colon + 2);
    if (end == std::string::npos) {
        return false;
    }
    line = {};
    line.address = std::strtoull(from.c_str(), nullptr, 16);
    line.text = from.substr(end + 1);
    std::string group;
    for (std::size_t i = colon + 2; i <= end; i++) {
        if (std::isxdigit(static_cast<unsigned char>(from[i])) != 0) {
            group += from[i];
            continue;
        }
        if (!group.empty()) {
            line.digits = line.digits == 0 ? group.size() : line.digits;
            append_group(line, group);
            group.clear();
        }
    }
    const bool is_data = line.text[0] == '.' || line.text.find("UNDEFINED") != std::string::npos ||
                         line.text.find("(bad)") != std::string::npos;
    return !is_data;
}

class Blocks {
  public:
    explicit Blocks(laxity_sim_decoder &decoder) : decoder_{decoder} {}

    void add(const Line &line)
    {
        if (line.address != next_ || line.digits != digits_ ||
            instructions_.size() == BLOCK_INSTRUCTIONS) {
            decode();
            address_ = line.address;
        }
        code_.insert(code_.end(), line.code.begin(), line.code.end());
        instructions_.push_back({static_cast<std::uint8_t>(line.code.size()), 1, {}, {}, nullptr});
        texts_.push_back(line.text);
        next_ = line.address + line.code.size();
        digits_ = line.digits;
    }

    void decode()
    {
        const std::uint64_t undecodable = stats().undecodable;
        if (!instructions_.empty()) {
            decoder_.decode(
                decoder_.context,
                address_,
                code_.data(),
                instructions_.data(),
                static_cast<std::uint32_t>(instructions_.size())
            );
        }
        if (stats().undecodable != undecodable) {
            for (const std::string &text : texts_) {
                printf("# one of these cannot be decoded: %s", text.c_str());
            }
        }
        code_.clear();
        instructions_.clear();
        texts_.clear();
    }

    laxity_sim_decoder_stats stats()
    {
        laxity_sim_decoder_stats stats;
        laxity_sim_decoder_read_stats(&decoder_, &stats);
        return stats;
    }

  private:
    laxity_sim_decoder &decoder_;
    std::uint64_t address_ = 0;
    std::uint64_t next_ = 0;
    std::size_t digits_ = 0;
    std::vector<std::uint8_t> code_;
    std::vector<laxity_sim_instruction> instructions_;
    std::vector<std::string> texts_;
};

/* ARM's instructions are printed as one number of eight digits, Thumb's as one or two of four. */
bool is_told(const laxity::CodeStates &states, const Line &line)
{
    constexpr std::size_t ARM_DIGITS = 8;
    const bool is_arm = line.digits == ARM_DIGITS;
    return std::strcmp(architecture, "armhf") != 0 ||
           states.at(line.address) == (is_arm ? laxity::CodeState::Arm : laxity::CodeState::Thumb);
}

void all_code_of_a_program_is_decoded(void)
{
    const laxity::CodeStates states{program};
    std::uint64_t not_told = 0;
    const laxity_sim_decoder_options options = {architecture, "none", program, 1};
    laxity_error error{};
    laxity_sim_decoder decoder{};
    CHECK_EQUAL(laxity_sim_decoder_open(&options, &decoder, &error), 0);
    FILE *const lines = std::fopen(listing, "re");
    CHECK(lines != nullptr);
    if (lines == nullptr) {
        return;
    }
    Blocks blocks{decoder};
    Line line;
    std::array<char, 1024> text{};
    while (std::fgets(text.data(), text.size(), lines) != nullptr) {
        if (read_line(text.data(), line)) {
            not_told += is_told(states, line) ? 0 : 1;
            blocks.add(line);
        }
    }
    blocks.decode();
    CHECK_EQUAL(not_told, 0);
    (void)std::fclose(lines);
    CHECK(blocks.stats().instructions > 10000);
    CHECK_EQUAL(blocks.stats().undecodable, 0);
    laxity_sim_decoder_close(&decoder);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 4) {
        return 2;
    }
    architecture = argv[1];
    program = argv[2];
    listing = argv[3];
    RUN(all_code_of_a_program_is_decoded);
    return test_exit_code();
}

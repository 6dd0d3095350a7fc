/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The decoder against instructions assembled by hand; code is in the order of memory, as
 * llvm-mc-19 --show-encoding prints it.
 */
#include "../test.h"
#include "base/error.h"
#include "interface/decoder.h"
#include "interface/engine.h"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Set = std::bitset<LAXITY_SIM_REGISTERS>;

constexpr std::uint32_t CYCLE_TICKS = 4;
constexpr std::uint16_t DEFAULT_TICKS = 8;
constexpr std::uint64_t ADDRESS = 0x10000;

struct Instruction {
    Set reads;
    Set writes;
    unsigned ticks;
    std::string clock; /* empty: none */
};

Set set_of(const std::uint64_t (&words)[LAXITY_SIM_REGISTERS / 64])
{
    return Set{words[1]} << 64 | Set{words[0]};
}

class Decoder {
  public:
    Decoder(const char *architecture, const char *scheduling)
    {
        const laxity_sim_decoder_options options = {architecture, scheduling, nullptr, CYCLE_TICKS};
        laxity_error error{};
        CHECK_EQUAL(laxity_sim_decoder_open(&options, &decoder_, &error), 0);
    }
    Decoder(const Decoder &) = delete;
    Decoder &operator=(const Decoder &) = delete;
    Decoder(Decoder &&) = delete;
    Decoder &operator=(Decoder &&) = delete;
    ~Decoder()
    {
        laxity_sim_decoder_close(&decoder_);
    }

    /* A block of instructions, each in hexadecimal digits. */
    std::vector<Instruction> block(std::initializer_list<std::string_view> texts)
    {
        std::vector<std::uint8_t> code;
        std::vector<laxity_sim_instruction> instructions;
        instructions.reserve(texts.size());
        for (const std::string_view text : texts) {
            for (std::size_t i = 0; i < text.size(); i += 2) {
                const std::string digits{text.substr(i, 2)};
                code.push_back(static_cast<std::uint8_t>(std::stoul(digits, nullptr, 16)));
            }
            instructions.push_back(
                {static_cast<std::uint8_t>(text.size() / 2), DEFAULT_TICKS, {}, {}, nullptr}
            );
        }
        decoder_.decode(
            decoder_.context,
            ADDRESS,
            code.data(),
            instructions.data(),
            static_cast<std::uint32_t>(instructions.size())
        );
        std::vector<Instruction> decoded;
        decoded.reserve(instructions.size());
        for (const auto &each : instructions) {
            decoded.push_back(
                {set_of(each.reads),
                 set_of(each.writes),
                 each.ticks,
                 each.clock == nullptr ? "" : each.clock}
            );
        }
        return decoded;
    }

    Instruction one(std::string_view text)
    {
        return block({text})[0];
    }

    laxity_sim_decoder_stats stats()
    {
        laxity_sim_decoder_stats stats;
        laxity_sim_decoder_read_stats(&decoder_, &stats);
        return stats;
    }

  private:
    laxity_sim_decoder decoder_{};
};

/* Registers by what writes nothing else. */
Set arm_register(Decoder &arm, char digit)
{
    return arm.one(std::string{"01"} + digit + "0a0e3").writes; /* mov rN, #1 */
}

Set aarch64_register(Decoder &aarch64, std::string_view first_byte)
{
    return aarch64.one(std::string{first_byte} + "0080d2").writes; /* mov xN, #0 */
}

void arm_load_reads_its_base_and_writes_what_comes_from_memory(void)
{
    Decoder arm{"armhf", "none"};
    const Set r0 = arm_register(arm, '0');
    const Set r1 = arm_register(arm, '1');
    CHECK_EQUAL(r0.count(), 1);
    CHECK_EQUAL(r1.count(), 1);
    CHECK(r0 != r1);
    const Instruction chase = arm.one("000090e5"); /* ldr r0, [r0] */
    CHECK(chase.reads == r0 && chase.writes == r0);
    /* The base is updated without the memory. */
    const Instruction post = arm.one("041090e4"); /* ldr r1, [r0], #4 */
    CHECK(post.reads == r0 && post.writes == r1);
    const Instruction store = arm.one("041080e4"); /* str r1, [r0], #4 */
    CHECK(store.reads == (r0 | r1) && store.writes == r0);
    CHECK_EQUAL(post.ticks, DEFAULT_TICKS);
}

void arm_list_of_registers_is_read_or_written_without_the_program_counter(void)
{
    Decoder arm{"armhf", "none"};
    const Set r0 = arm_register(arm, '0');
    const Set r4 = arm_register(arm, '4');
    const Set sp = arm_register(arm, 'd');
    const Set lr = arm_register(arm, 'e');
    const Instruction ldm = arm.one("0e00b0e8"); /* ldm r0!, {r1, r2, r3} */
    CHECK(ldm.reads == r0);
    CHECK(ldm.writes == (arm_register(arm, '1') | arm_register(arm, '2') | arm_register(arm, '3')));
    const Instruction pop = arm.one("1080bde8"); /* pop {r4, pc} */
    CHECK(pop.reads == sp && pop.writes == r4);
    const Instruction push = arm.one("10402de9"); /* push {r4, lr} */
    CHECK(push.reads == (sp | r4 | lr) && push.writes == sp);
    const Instruction call = arm.one("000000eb"); /* bl */
    CHECK(call.writes == lr);
}

void arm_vectors_share_the_numbers_of_their_parts(void)
{
    Decoder arm{"armhf", "none"};
    const Set d8 = arm.one("008b90ed").writes;  /* vldr d8, [r0] */
    const Set s16 = arm.one("008a90ed").writes; /* vldr s16, [r0] */
    const Set s17 = arm.one("008ad0ed").writes; /* vldr s17, [r0] */
    CHECK_EQUAL(s16.count(), 1);
    CHECK(d8 == (s16 | s17) && s16 != s17);
    CHECK(arm.one("048bb0ec").writes.count() == 4); /* vldmia r0!, {d8, d9} */
    const Instruction stored = arm.one("048b80ec"); /* vstmia r0, {d8, d9} */
    CHECK((stored.reads & d8) == d8 && stored.writes.none());
    /* Of this list LLVM tells the first register only. */
    CHECK(arm.one("cd0220f4").writes.count() == 8); /* vld1.64 {d0-d3}, [r0]! */
    CHECK(arm.one("cd0200f4").reads.count() == 9);  /* vst1.64 {d0-d3}, [r0]! */
}

void flags_are_a_register(void)
{
    Decoder arm{"armhf", "none"};
    const Set r1 = arm_register(arm, '1');
    const Set r2 = arm_register(arm, '2');
    const Instruction compare = arm.one("000051e3"); /* cmp r1, #0 */
    CHECK(compare.reads == r1 && compare.writes.count() == 1);
    const Instruction add = arm.one("01208202"); /* addeq r2, r2, #1 */
    CHECK(add.reads == (r2 | compare.writes) && add.writes == r2);
}

void flags_of_other_architectures_are_a_register(void)
{
    Decoder aarch64{"aarch64", "none"};
    const Set flags = aarch64.one("1f0400f1").writes; /* cmp x0, #1 */
    CHECK(aarch64.one("41000054").reads == flags);    /* b.ne */
    Decoder x86{"x86_64", "none"};
    const Instruction test = x86.one("4885c0"); /* test %rax, %rax */
    CHECK(test.writes.count() == 1);
    CHECK(x86.one("7500").reads == test.writes); /* jne */
    Decoder power{"powerpc", "none"};
    const Instruction record = power.one("7cc42a15"); /* add. 6, 4, 5 */
    const Set cr0 = power.one("2c030000").writes;     /* cmpwi 3, 0 */
    CHECK(cr0.count() == 1 && record.writes.count() == 2 && (record.writes & cr0) == cr0);
}

/* ite eq; moveq r0, #1; movne r0, #2: the moves set no flags, as the same bytes do elsewhere. */
void thumb_instructions_within_an_it_block_set_no_flags(void)
{
    Decoder arm{"armhf", "none"};
    const Set r0 = arm_register(arm, '0');
    const auto block = arm.block({"0cbf", "0120", "0220", "0120"});
    const Set flags = block[3].writes & ~r0; /* movs r0, #1 */
    CHECK_EQUAL(flags.count(), 1);
    CHECK(block[1].reads == flags && block[1].writes == r0);
    CHECK(block[2].reads == flags && block[2].writes == r0);
    /* What an IT instruction has said ends with its block. */
    (void)arm.block({"0cbf"});
    CHECK(arm.one("0120").writes == (r0 | flags));
    CHECK_EQUAL(arm.stats().undecodable, 0);
}

void thumb_is_told_by_a_short_instruction_or_an_address(void)
{
    Decoder arm{"armhf", "none"};
    const Set r1 = arm_register(arm, '1');
    /* nop; ldr r1, [r0], #4, of four bytes */
    const auto block = arm.block({"00bf", "50f8041b"});
    CHECK(block[1].writes == r1);
}

/* At the end of a page QEMU 7.2 gives a halfword more with the last instruction. */
void thumb_instruction_may_come_with_the_next_halfword(void)
{
    Decoder arm{"armhf", "none"};
    const Set r1 = arm_register(arm, '1');
    const auto block = arm.block({"00bf", "50f8041b0120"}); /* nop; ldr r1, [r0], #4 */
    CHECK(block[1].writes == r1);
    CHECK_EQUAL(arm.stats().undecodable, 0);
    (void)arm.block({"50f8041b0120", "00bf"}); /* not in the middle */
    CHECK_EQUAL(arm.stats().undecodable, 1);
}

void zero_registers_are_none(void)
{
    Decoder aarch64{"aarch64", "none"};
    const Instruction store = aarch64.one("5f0000f9"); /* str xzr, [x2] */
    CHECK(store.reads == aarch64_register(aarch64, "02"));
    CHECK(store.writes.none());
    Decoder riscv{"riscv64", "none"};
    CHECK(riscv.one("23a00500").reads.count() == 1); /* sw zero, 0(a1) */
    CHECK(riscv.one("6f000000").writes.none());      /* j */
}

void halves_of_registers_are_the_registers(void)
{
    Decoder aarch64{"aarch64", "none"};
    const Set x0 = aarch64_register(aarch64, "00");
    CHECK(aarch64.one("010440b8").reads == x0);    /* ldr w1, [x0], #0 */
    CHECK(aarch64.one("000040b9").writes == x0);   /* ldr w0, [x0] */
    const Set s0 = aarch64.one("000040bd").writes; /* ldr s0, [x0] */
    CHECK(s0 == aarch64.one("000040fd").writes);   /* ldr d0, [x0] */
    CHECK(s0 == aarch64.one("0000c03d").writes);   /* ldr q0, [x0] */
}

void halves_of_registers_of_x86_are_the_registers(void)
{
    Decoder x86{"x86_64", "none"};
    const Set rax = x86.one("488b00").writes; /* mov (%rax), %rax */
    CHECK_EQUAL(rax.count(), 1);
    CHECK(x86.one("8a00").writes == rax);      /* mov (%rax), %al */
    CHECK(x86.one("8b00").reads == rax);       /* mov (%rax), %eax */
    const Set xmm0 = x86.one("0f1000").writes; /* movups (%rax), %xmm0 */
    CHECK(x86.one("c5fc1000").writes == xmm0); /* vmovups (%rax), %ymm0 */
}

void registers_of_powerpc_are_told(void)
{
    Decoder power{"powerpc", "none"};
    CHECK(power.one("80630000").writes == power.one("80630000").reads); /* lwz 3, 0(3) */
    CHECK(power.one("bba10000").writes.count() == 3);                   /* lmw 29, 0(1) */
    const Instruction update = power.one("84830004");                   /* lwzu 4, 4(3) */
    CHECK(update.reads == power.one("80630000").reads && (update.writes & update.reads).none());
}

void stacks_move_without_the_memory(void)
{
    Decoder x86{"x86_64", "none"};
    const Set rsp = x86.one("4889e0").reads; /* mov %rsp, %rax */
    const Instruction pop = x86.one("59");   /* pop %rcx */
    CHECK(pop.reads == rsp && pop.writes.count() == 1 && (pop.writes & rsp).none());
    CHECK(x86.one("480306").writes.count() == 2); /* add (%rsi), %rax: with flags */
    CHECK(x86.one("f3a4").writes.none());         /* rep movsb */
    Decoder aarch64{"aarch64", "none"};
    const Instruction ldp = aarch64.one("fd7bc1a8"); /* ldp x29, x30, [sp], #16 */
    CHECK(ldp.writes.count() == 2 && (ldp.writes & ldp.reads).none());
}

/*
 * Cortex-A53 issues two instructions a cycle; of four ticks, the first takes 1 then, the second the
 * other 3. A load's value is there after 4 cycles: (4 - 0) * 4 = 16 ticks.
 */
void instruction_takes_until_the_next_one_is_issued(void)
{
    Decoder aarch64{"aarch64", "cortex-a53"};
    /* add x1, x1, #1; add x2, x2, #1; add x3, x3, #1 */
    const auto free = aarch64.block({"21040091", "42040091", "63040091"});
    CHECK_EQUAL(free[0].ticks, 1);
    CHECK_EQUAL(free[1].ticks, 3);
    CHECK_EQUAL(free[2].ticks, 4);                              /* the rest of its cycle */
    const auto chase = aarch64.block({"000040f9", "000040f9"}); /* ldr x0, [x0] twice */
    CHECK_EQUAL(chase[0].ticks, 16);
    CHECK_EQUAL(chase[1].ticks, 4);
}

/* Base registers are there a cycle later, values need not be: the second load does not wait for the
 * first one's value, only for its base. */
void loads_that_update_their_base_depend_on_one_another_by_it_alone(void)
{
    Decoder arm{"armhf", "cortex-a9"};
    const auto post = arm.block({"041090e4", "042090e4"});  /* ldr r1, [r0], #4; ldr r2, [r0], #4 */
    const auto chase = arm.block({"000090e5", "000090e5"}); /* ldr r0, [r0] twice */
    CHECK_EQUAL(post[0].ticks, CYCLE_TICKS);
    CHECK_EQUAL(chase[0].ticks, 3 * CYCLE_TICKS); /* A9: three cycles from load to address */
}

/* LLVM's model of Cortex-A9 does not say: a register each cycle. */
void list_takes_a_cycle_for_each_register(void)
{
    Decoder arm{"armhf", "cortex-a9"};
    const auto block =
        arm.block({"0e00b0e8", "015085e2"}); /* ldm r0!, {r1, r2, r3}; add r5, r5, #1 */
    CHECK_EQUAL(block[0].ticks, 3 * CYCLE_TICKS);
    CHECK_EQUAL(arm.stats().without_latency, 0);
}

/* 750: stages of itineraries; an addition 1 cycle, a load 2, an instruction a cycle. */
void itineraries_tell_latencies_too(void)
{
    Decoder power{"powerpc", "750"};
    /* lwz 3, 0(3); lwz 3, 0(3); add 4, 3, 3; li 5, 1 */
    const auto block = power.block({"80630000", "80630000", "7c831a14", "38a00001"});
    CHECK_EQUAL(block[0].ticks, 2 * CYCLE_TICKS);
    CHECK_EQUAL(block[1].ticks, 2 * CYCLE_TICKS);
    CHECK_EQUAL(block[2].ticks, CYCLE_TICKS);
    CHECK_EQUAL(block[3].ticks, CYCLE_TICKS);
}

void what_has_no_latency_takes_what_it_came_with_and_is_named(void)
{
    Decoder x86{"x86_64", "amdfam10"};
    const auto block = x86.block({"4801c3", "4885c0", "4801c3"}); /* add, test, add */
    CHECK_EQUAL(block[0].ticks, DEFAULT_TICKS);
    CHECK_EQUAL(block[2].ticks, DEFAULT_TICKS);
    const auto stats = x86.stats();
    CHECK_EQUAL(stats.instructions, 3);
    CHECK_EQUAL(stats.without_latency, 3);
    CHECK_TEXT(stats.opcodes, "ADD64rr TEST64rr");
}

void what_cannot_be_decoded_takes_what_it_came_with_and_is_counted(void)
{
    Decoder arm{"armhf", "cortex-a9"};
    const auto block = arm.block({"ffffffff", "015085e2"}); /* no instruction; add r5, r5, #1 */
    CHECK(block[0].reads.none() && block[0].writes.none());
    CHECK_EQUAL(block[0].ticks, DEFAULT_TICKS);
    CHECK_EQUAL(block[1].ticks, CYCLE_TICKS);
    CHECK_EQUAL(arm.stats().undecodable, 1);
    CHECK_EQUAL(arm.stats().without_latency, 0);
}

/* Encodings of llvm-mc-19 --show-encoding; beside each one that is much alike and reads none. */
void instructions_that_read_clocks_are_told(void)
{
    Decoder x86{"x86_64", "none"};
    CHECK_TEXT(x86.one("0f31").clock.c_str(), "rdtsc");
    CHECK_TEXT(x86.one("0f01f9").clock.c_str(), "rdtsc");  /* rdtscp */
    CHECK_TEXT(x86.one("0fc7f0").clock.c_str(), "rdrand"); /* rdrand %eax */
    CHECK_TEXT(x86.one("0fa2").clock.c_str(), "");         /* cpuid */
    Decoder arm{"armhf", "none"};
    CHECK_TEXT(arm.one("1e0f51ec").clock.c_str(), "cntvct");  /* mrrc p15, 1, r0, r1, c14 */
    CHECK_TEXT(arm.one("1d0f19ee").clock.c_str(), "pmccntr"); /* mrc p15, 0, r0, c9, c13, 0 */
    CHECK_TEXT(
        arm.one("700f1dee").clock.c_str(), ""
    ); /* mrc p15, 0, r0, c13, c0, 3: of the thread */
    Decoder aarch64{"aarch64", "none"};
    CHECK_TEXT(aarch64.one("40e03bd5").clock.c_str(), "cntvct_el0"); /* mrs x0, cntvct_el0 */
    CHECK_TEXT(aarch64.one("40d03bd5").clock.c_str(), "");           /* mrs x0, tpidr_el0 */
    Decoder riscv{"riscv64", "none"};
    CHECK_TEXT(riscv.one("732500c0").clock.c_str(), "rdcycle"); /* rdcycle a0 */
    CHECK_TEXT(riscv.one("73251000").clock.c_str(), "");        /* frflags a0 */
    Decoder power{"powerpc", "none"};
    CHECK_TEXT(power.one("7c6c42e6").clock.c_str(), "mftb"); /* mftb 3 */
    CHECK_TEXT(power.one("7cac42a6").clock.c_str(), "mftb"); /* mfspr 5, 268 */
    CHECK_TEXT(power.one("7ca802a6").clock.c_str(), "");     /* mflr 5 */
}

void unknown_names_are_refused(void)
{
    laxity_sim_decoder decoder{};
    laxity_error error{};
    const laxity_sim_decoder_options architecture = {"vax", "none", nullptr, 1};
    CHECK_EQUAL(laxity_sim_decoder_open(&architecture, &decoder, &error), -1);
    CHECK_TEXT(error.text, "unknown architecture \"vax\"");
    error = {};
    const laxity_sim_decoder_options processor = {"armhf", "haswell", nullptr, 1};
    CHECK_EQUAL(laxity_sim_decoder_open(&processor, &decoder, &error), -1);
    CHECK_EQUAL(error.exit_code, LAXITY_EXIT_USAGE);
}

} // namespace

int main(void)
{
    RUN(arm_load_reads_its_base_and_writes_what_comes_from_memory);
    RUN(arm_list_of_registers_is_read_or_written_without_the_program_counter);
    RUN(arm_vectors_share_the_numbers_of_their_parts);
    RUN(flags_are_a_register);
    RUN(flags_of_other_architectures_are_a_register);
    RUN(thumb_instructions_within_an_it_block_set_no_flags);
    RUN(thumb_is_told_by_a_short_instruction_or_an_address);
    RUN(thumb_instruction_may_come_with_the_next_halfword);
    RUN(zero_registers_are_none);
    RUN(halves_of_registers_are_the_registers);
    RUN(halves_of_registers_of_x86_are_the_registers);
    RUN(registers_of_powerpc_are_told);
    RUN(stacks_move_without_the_memory);
    RUN(instruction_takes_until_the_next_one_is_issued);
    RUN(loads_that_update_their_base_depend_on_one_another_by_it_alone);
    RUN(list_takes_a_cycle_for_each_register);
    RUN(itineraries_tell_latencies_too);
    RUN(what_has_no_latency_takes_what_it_came_with_and_is_named);
    RUN(what_cannot_be_decoded_takes_what_it_came_with_and_is_counted);
    RUN(instructions_that_read_clocks_are_told);
    RUN(unknown_names_are_refused);
    return test_exit_code();
}

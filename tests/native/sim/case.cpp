/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "case.hpp"

#include "base/error.h"
#include "harness/mark_table.h"
#include "interface/engine.h"
#include "interface/records.h"
#include "naive/naive.hpp"
#include "random.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

/* Of registers and ticks of random instructions. */
constexpr std::uint64_t REGISTERS = 10;
constexpr std::uint64_t READS_MAX = 2;
constexpr std::uint64_t WRITES_MAX = 2;
constexpr std::uint64_t TICKS_MAX = 3;
constexpr std::uint64_t TICKS_LONG = 60;
constexpr std::uint64_t TICKS_LONGEST = 3000;
constexpr unsigned SET_BITS = 64;
constexpr std::size_t SAMPLES_KEPT = 500;  /* they are large */
constexpr std::size_t SAMPLES_TOLD = 5000; /* one by one */

/* So few that a read ends in the middle of everything now and then. */
constexpr std::size_t WORDS_AT_ONCE = 29;

struct Source {
    const Words *program;
    std::size_t at;
};

std::size_t read_words(void *context, std::uint64_t *words, std::size_t n)
{
    auto *const source = static_cast<Source *>(context);
    const std::vector<std::uint64_t> &all = source->program->words;
    if (source->at == all.size() && source->program->loop_from < all.size()) {
        source->at = source->program->loop_from;
    }
    const std::size_t given = std::min({n, all.size() - source->at, WORDS_AT_ONCE});
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(source->at), given, words);
    source->at += given;
    return given;
}

const char *why(void *context)
{
    (void)context;
    return "its words have ended";
}

void add_registers(Random &random, std::uint64_t most, std::uint64_t *set)
{
    const std::uint64_t n = random.below(most + 1);
    for (std::uint64_t i = 0; i < n; i++) {
        /* Every third in the upper word. */
        const std::uint64_t number = random.below(REGISTERS);
        const std::uint64_t of_set = number % 3 == 0 ? SET_BITS + number : number;
        set[of_set / SET_BITS] |= std::uint64_t{1} << of_set % SET_BITS;
    }
}

void decode(
    void *context,
    std::uint64_t address,
    const std::uint8_t *code,
    laxity_sim_instruction *instructions,
    std::uint32_t n_instructions
)
{
    (void)code;
    const std::uint64_t seed = *static_cast<const std::uint64_t *>(context);
    if (seed == 0) {
        return;
    }
    for (std::uint32_t i = 0; i < n_instructions; i++) {
        Random random{seed + address * LAXITY_RECORD_INSTRUCTIONS_MAX + i};
        add_registers(random, READS_MAX, instructions[i].reads);
        add_registers(random, WRITES_MAX, instructions[i].writes);
        if (random.is(1, 4)) {
            instructions[i].ticks = static_cast<std::uint16_t>(random.between(1, TICKS_MAX));
        } else if (random.is(1, 40)) {
            const std::uint64_t most = random.is(1, 20) ? TICKS_LONGEST : TICKS_LONG;
            instructions[i].ticks = static_cast<std::uint16_t>(random.between(1, most));
        }
    }
}

/* Of a task: the same for a page each time. */
laxity_sim_place place(void *context, std::uint64_t address)
{
    constexpr std::uint64_t PAGE_BYTES = 4096;
    const auto &places = *static_cast<const std::vector<laxity_sim_place> *>(context);
    return places[Random{address / PAGE_BYTES}.below(places.size())];
}

struct Listening {
    const Case *asked;
    Told *told;
    Random random; /* for releases */
    std::int64_t now_ns = 0;
    std::vector<std::uint64_t> finished; /* jobs, of each task */
    std::vector<bool> has_ended;
    std::uint64_t n_ticks = 0; /* of the observer */
};

int note(void *context, const Call &call)
{
    auto *const listening = static_cast<Listening *>(context);
    std::vector<Call> &calls = listening->told->calls;
    calls.push_back(call);
    if (call.what == Call::What::Finish) {
        listening->now_ns = call.job.finish_ns;
        listening->finished[call.job.task]++;
    } else if (call.what == Call::What::Pass) {
        listening->now_ns = call.end_ns;
    } else if (call.what == Call::What::End) {
        listening->has_ended[call.job.task] = true;
    }
    return calls.size() > listening->asked->stop_behind ? 1 : 0;
}

/* Most of the delays lie below a few jobs. */
std::int64_t answer_anyhow(Listening &listening, std::uint64_t all, std::uint64_t *cores)
{
    constexpr unsigned DELAY_BITS = 14;
    Random &random = listening.random;
    if (random.is(1, 2)) {
        *cores = random.between(1, all);
    }
    if (random.is(1, 3)) {
        return INT64_MAX;
    }
    if (random.is(1, 3)) {
        return static_cast<std::int64_t>(random.below(DELAY_BITS)); /* has passed most times */
    }
    const std::uint64_t most = std::uint64_t{1} << random.below(DELAY_BITS);
    return listening.now_ns + static_cast<std::int64_t>(random.below(most));
}

/* The tasks take turns on one core after the other; those that have ended are passed over. */
std::int64_t answer_turn(Listening &listening, std::uint32_t task, std::uint64_t *cores)
{
    const std::vector<std::uint64_t> &finished = listening.finished;
    const std::uint32_t n_cores = listening.asked->platform.cores;
    if (listening.random.is(1, 2)) {
        *cores = std::uint64_t{1} << (finished[task] + task) % n_cores;
    }
    const std::size_t before = (task + finished.size() - 1) % finished.size();
    const bool is_first = task == 0;
    const bool is_turn =
        is_first ? finished[before] >= finished[task] : finished[before] > finished[task];
    if (is_turn || listening.has_ended[before] || listening.asked->tasks[before].is_corunner) {
        return listening.random.is(1, 2) ? 0 : listening.now_ns + 1;
    }
    return INT64_MAX;
}

std::int64_t note_wait(void *context, std::uint32_t task, std::uint64_t *out_cores)
{
    auto *const listening = static_cast<Listening *>(context);
    const Case &asked = *listening->asked;
    const std::uint64_t all = (std::uint64_t{1} << asked.platform.cores) - 1;
    laxity_sim_job job{};
    job.task = task;
    job.job = *out_cores; /* what it is preset to */
    const std::int64_t answer = asked.waits == Case::Waits::Anyhow
                                    ? answer_anyhow(*listening, all, out_cores)
                                    : answer_turn(*listening, task, out_cores);
    (void)note(context, {Call::What::Wait, job, LAXITY_SIM_END_JOBS, answer, 0, {}});
    return answer;
}

int note_job(void *context, Call::What what, const laxity_sim_job *job)
{
    return note(context, {what, *job, LAXITY_SIM_END_JOBS, 0, 0, {}});
}

int note_start(void *context, const laxity_sim_job *job)
{
    return note_job(context, Call::What::Start, job);
}

int note_finish(void *context, const laxity_sim_job *job)
{
    return note_job(context, Call::What::Finish, job);
}

int note_end(
    void *context,
    std::uint32_t task,
    laxity_sim_end end,
    std::int64_t end_ns,
    const laxity_error *error
)
{
    laxity_sim_job job{};
    job.task = task;
    return note(context, {Call::What::End, job, end, end_ns, error->exit_code, {}});
}

void note_pass(void *context, std::uint32_t task, std::int64_t finish_ns)
{
    laxity_sim_job job{};
    job.task = task;
    (void)note(context, {Call::What::Pass, job, LAXITY_SIM_END_JOBS, finish_ns, 0, {}});
}

void note_turn(
    void *context,
    std::uint32_t core,
    std::uint32_t task,
    laxity_sim_turn turn,
    std::int64_t time_ns
)
{
    laxity_sim_job job{};
    job.task = task;
    job.core_start = core;
    static_cast<Listening *>(context)->told->calls.push_back(
        {Call::What::Turn, job, LAXITY_SIM_END_JOBS, time_ns, 0, turn}
    );
}

/* Any other number gives another sum, most times. */
void add_to_sum(std::uint64_t &sum, std::uint64_t number)
{
    sum = Random{sum ^ number}.next();
}

void add_to_sum(std::uint64_t &sum, const laxity_sim_counts &counts)
{
    constexpr std::size_t N = sizeof counts / sizeof(std::uint64_t);
    for (const std::uint64_t count : std::bit_cast<std::array<std::uint64_t, N>>(counts)) {
        add_to_sum(sum, count);
    }
}

void note_mark(
    void *context,
    std::uint32_t task,
    std::uint32_t which,
    std::int64_t time_ns,
    const laxity_sim_taken *taken
)
{
    MarkTold mark{which, time_ns, taken->counts.instructions, taken->exec_ticks};
    add_to_sum(mark.sum, taken->counts);
    static_cast<Listening *>(context)->told->marks[task].push_back(mark);
}

void note_sample(void *context, const laxity_sim_sample *told)
{
    auto *const listening = static_cast<Listening *>(context);
    const Case &asked = *listening->asked;
    const Sample sample{
        {told->cores, told->cores + asked.platform.cores},
        {told->tasks, told->tasks + asked.tasks.size()},
    };
    laxity_sim_job job{};
    job.ordinal = listening->told->n_samples++;
    for (const laxity_sim_counts &core : sample.cores) {
        add_to_sum(job.job, core);
    }
    for (const laxity_sim_taken &task : sample.tasks) {
        add_to_sum(job.job, task.counts);
        add_to_sum(job.job, task.exec_ticks);
    }
    if (job.ordinal < SAMPLES_KEPT) {
        listening->told->samples.push_back(sample);
    }
    if (job.ordinal >= SAMPLES_TOLD) {
        add_to_sum(listening->told->sum_of_rest, job.job);
        return;
    }
    listening->told->calls.push_back(
        {Call::What::Sample, job, LAXITY_SIM_END_JOBS, told->time_ns, 0, {}}
    );
}

Case::Observer::Answer
answer_tick(const Case::Observer &observer, std::uint64_t tick, std::int64_t now_ns)
{
    if (!observer.answers.empty()) {
        return observer.answers[tick];
    }
    Random random{observer.seed + tick};
    Case::Observer::Answer answer{random.next() | random.next(), INT64_MAX};
    if (tick + 1 < observer.ticks) {
        answer.next_ns = now_ns + static_cast<std::int64_t>(random.between(1, observer.longest_ns));
    }
    return answer;
}

std::uint64_t note_tick(
    void *context,
    const laxity_sim_sample *told,
    const laxity_sim_seen *seen,
    std::size_t n_seen,
    std::int64_t *out_next_ns
)
{
    auto *const listening = static_cast<Listening *>(context);
    const Case &asked = *listening->asked;
    laxity_sim_job job{};
    job.ordinal = listening->n_ticks++;
    for (std::uint32_t i = 0; i < asked.platform.cores; i++) {
        add_to_sum(job.job, told->cores[i]);
    }
    for (std::size_t i = 0; i < asked.tasks.size(); i++) {
        add_to_sum(job.job, told->tasks[i].counts);
        add_to_sum(job.job, told->tasks[i].exec_ticks);
    }
    for (std::size_t i = 0; i < n_seen; i++) {
        add_to_sum(job.job, seen[i].task);
        add_to_sum(job.job, seen[i].mark);
        add_to_sum(job.job, static_cast<std::uint64_t>(seen[i].time_ns));
        add_to_sum(job.job, seen[i].ordinal);
        job.exec_ticks += seen[i].exec_ticks;
        job.preemptions += static_cast<std::uint32_t>(seen[i].preemptions);
    }
    const Case::Observer::Answer answer = answer_tick(asked.observer, job.ordinal, told->time_ns);
    const std::uint64_t all = (std::uint64_t{1} << asked.platform.cores) - 1;
    job.core_start = static_cast<std::uint32_t>(answer.cores & all);
    job.core_finish = static_cast<std::uint32_t>(n_seen);
    listening->told->calls.push_back(
        {Call::What::Tick, job, LAXITY_SIM_END_JOBS, told->time_ns, 0, {}}
    );
    *out_next_ns = answer.next_ns;
    return answer.cores;
}

bool never(void *context)
{
    (void)context;
    return false;
}

template <typename Engine> Told run(const Case &asked, Engine engine)
{
    Told told;
    const std::size_t n_tasks = asked.tasks.size();
    told.marks.resize(n_tasks);
    Listening listening{
        .asked = &asked,
        .told = &told,
        .random = Random{asked.waits_seed},
        .finished = std::vector<std::uint64_t>(n_tasks),
        .has_ended = std::vector<bool>(n_tasks),
    };
    std::uint64_t seed = asked.instructions_seed;
    std::vector<Source> sources;
    sources.reserve(n_tasks);
    for (const Words &program : asked.programs) {
        sources.push_back({&program, 0});
    }
    std::vector<laxity_sim_task> tasks = asked.tasks;
    std::vector<std::vector<laxity_sim_place>> places = asked.places;
    places.resize(n_tasks);
    for (std::size_t i = 0; i < tasks.size(); i++) {
        tasks[i].source = {&sources[i], read_words, why};
        tasks[i].decoder = {&seed, decode};
        if (!places[i].empty()) {
            tasks[i].placer = {&places[i], place, nullptr};
        }
        if (const auto found = asked.shared.find(tasks[i].program); found != asked.shared.end()) {
            tasks[i].n_shared = static_cast<std::uint32_t>(found->second.size());
            tasks[i].shared = found->second.data();
        }
    }
    laxity_sim_listener listener{};
    listener.context = &listening;
    listener.on_start = note_start;
    listener.on_finish = note_finish;
    listener.on_end = note_end;
    listener.on_pass = note_pass;
    listener.on_turn = note_turn;
    listener.on_mark = note_mark;
    listener.must_stop = never;
    listener.on_wait = asked.waits == Case::Waits::Nobody ? nullptr : note_wait;
    listener.on_sample = asked.sample_ns > 0 ? note_sample : nullptr;
    listener.sample_ns = asked.sample_ns;
    listener.first_sample_ns = asked.first_sample_ns;
    listener.interrupts = asked.interrupts;
    laxity_sim_observer observer = asked.observer.asked;
    observer.context = &listening;
    observer.on_tick = note_tick;
    const bool is_observed = asked.observer.ticks > 0 || !asked.observer.answers.empty();
    listener.observer = is_observed ? &observer : nullptr;
    engine(
        &asked.platform,
        tasks.data(),
        static_cast<std::uint32_t>(tasks.size()),
        asked.limit_ns,
        &listener,
        told
    );
    return told;
}

} // namespace

void Words::define(std::uint64_t address, const std::vector<std::uint8_t> &sizes)
{
    words.push_back(std::uint64_t{LAXITY_SIM_BLOCK} << LAXITY_RECORD_KIND_SHIFT | n_blocks_++);
    words.push_back(address);
    words.push_back(sizes.size());
    std::size_t code_bytes = 0;
    for (const std::uint8_t size : sizes) {
        code_bytes += size;
    }
    const auto add_padded = [this](const std::vector<std::uint8_t> &bytes) {
        const std::size_t first = words.size();
        words.resize(first + (bytes.size() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
        std::memcpy(words.data() + first, bytes.data(), bytes.size());
    };
    add_padded(sizes);
    add_padded(std::vector<std::uint8_t>(code_bytes, 0));
}

void Words::access(unsigned index, std::uint64_t address, unsigned size, bool is_store)
{
    words.push_back(
        address | std::uint64_t{size} << LAXITY_RECORD_SIZE_SHIFT |
        std::uint64_t{is_store} << LAXITY_RECORD_STORE_SHIFT |
        std::uint64_t{index} << LAXITY_RECORD_INDEX_SHIFT
    );
}

void Words::mark(unsigned index, unsigned which)
{
    access(index, LAXITY_SIM_MARKS_ADDRESS + which, 0, true);
}

Told run_engine(const Case &asked)
{
    return run(
        asked,
        [](const laxity_sim_platform *platform,
           const laxity_sim_task *tasks,
           std::uint32_t n_tasks,
           std::int64_t limit_ns,
           const laxity_sim_listener *listener,
           Told &told) {
            laxity_simulate(platform, tasks, n_tasks, limit_ns, listener, &told.totals);
        }
    );
}

Told run_naive(const Case &asked)
{
    return run(
        asked,
        [](const laxity_sim_platform *platform,
           const laxity_sim_task *tasks,
           std::uint32_t n_tasks,
           std::int64_t limit_ns,
           const laxity_sim_listener *listener,
           Told &told) {
            told.features =
                naive_simulate(platform, tasks, n_tasks, limit_ns, listener, &told.totals);
        }
    );
}

static std::string describe_memory(const std::string &name, const laxity_sim_memory &memory)
{
    return "\n  " + name + number("channels", memory.channels) +
           number("queues", memory.read_queue) + number("+", memory.write_queue) +
           number("reorder", memory.reorder) + number("banks", memory.banks) +
           number("row_lines", memory.row_lines) + number("refresh", memory.refresh_interval);
}

/* Further memories, domains and links. */
static std::string describe_places(const Case &asked)
{
    const laxity_sim_platform &platform = asked.platform;
    std::string text = "\n  domains" + number("of cores", platform.domain_cores) +
                       number("memory each", platform.has_memory_each ? 1 : 0) +
                       number("home", platform.home) +
                       number("line on a link", platform.link_line_ticks) + " links";
    for (std::uint32_t a = 0; a < platform.cores; a++) {
        for (std::uint32_t b = 0; b < platform.cores; b++) {
            text += number("", platform.link_ticks[a][b]);
        }
    }
    for (std::uint32_t i = 0; i < platform.n_regions; i++) {
        const laxity_sim_region &region = platform.regions[i];
        text += describe_memory("region " + std::to_string(i + 1), region.memory) +
                number("of", region.of) + number("domain", region.domain) +
                number("cached", region.is_cached ? 1 : 0) +
                number("is alias", region.is_alias ? 1 : 0) + number("of", region.alias);
    }
    for (std::size_t task = 0; task < asked.places.size(); task++) {
        text += "\n  pages of task" + number("", task) + " lie in";
        for (const laxity_sim_place &place : asked.places[task]) {
            text += number("", place.region) + number(":", place.instance);
        }
    }
    return text;
}

std::string describe(const Case &asked)
{
    const laxity_sim_platform &platform = asked.platform;
    const auto cache = [](const std::string &name, const laxity_sim_cache &of) {
        return "\n  " + name + number("bytes", of.size_bytes) + number("ways", of.ways) +
               number("replacement", of.replacement);
    };
    std::string text =
        number("cores", platform.cores) + number("line", platform.line_bytes) +
        number("fill_buffers", platform.fill_buffers) +
        number("store_entries", platform.store_entries) +
        number("merges", platform.merges_stores ? 1 : 0) + number("switch", platform.switch_ticks) +
        number("kernel", platform.kernel_code_lines) + number("+", platform.kernel_data_lines) +
        number("limit", asked.limit_ns) + number("stop_behind", asked.stop_behind) +
        number("waits", static_cast<std::uint64_t>(asked.waits)) +
        number("samples", static_cast<std::uint64_t>(asked.sample_ns)) +
        number("from", static_cast<std::uint64_t>(asked.first_sample_ns)) +
        number("interrupts", asked.interrupts ? 1 : 0) + number("ticks", platform.probe_ticks) +
        number("lines", platform.probe_code_lines) + number("+", platform.probe_data_lines);
    text += cache("l1i", platform.l1i) + cache("l1d", platform.l1d);
    text += number("through", platform.writes_through ? 1 : 0) +
            number("placement", platform.placement) + number("seed", platform.placement_seed) +
            number("colours", platform.colours);
    text += "\n  branches" + number("counters", platform.predictor_entries) +
            number("ticks", platform.mispredict_ticks);
    text += "\n  timer" + number("interval", platform.timer_interval) +
            number("ticks", platform.timer_ticks) + number("lines", platform.timer_code_lines) +
            number("+", platform.timer_data_lines);
    text += cache("itlb", platform.itlb) + cache("dtlb", platform.dtlb) +
            number("walk_loads", platform.walk_loads) + number("walk_ticks", platform.walk_ticks);
    for (std::uint32_t i = 0; i < platform.n_levels; i++) {
        const laxity_sim_level &level = platform.levels[i];
        text += cache("level " + std::to_string(i), level.cache) + number("cores", level.cores) +
                number("inclusion", level.inclusion) + number("prefetch", level.prefetch) +
                number("mask of core 0", level.way_masks[0]);
    }
    text += describe_memory("memory", platform.memory) + describe_places(asked);
    for (const auto &[program, ranges] : asked.shared) {
        text += "\n  program" + number("", program) + " shares";
        for (const laxity_sim_range &range : ranges) {
            text += number("from", range.begin) + number("to", range.end);
        }
    }
    for (const laxity_sim_task &task : asked.tasks) {
        text += "\n  task" + number("of program", task.program) +
                number("priority", static_cast<std::uint64_t>(task.priority)) +
                number("corunner", task.is_corunner ? 1 : 0) + number("cores", task.cores) +
                number("jobs", task.jobs) +
                number("offset", static_cast<std::uint64_t>(task.releases.first_ns)) +
                number("period", static_cast<std::uint64_t>(task.releases.period_ns)) +
                number("timeout", static_cast<std::uint64_t>(task.timeout_ns)) +
                number("overrun", task.releases.overrun) +
                number("budget", static_cast<std::uint64_t>(task.reservation.runtime_ns)) +
                number("of", static_cast<std::uint64_t>(task.reservation.deadline_ns)) +
                number("every", static_cast<std::uint64_t>(task.reservation.period_ns));
    }
    return text;
}

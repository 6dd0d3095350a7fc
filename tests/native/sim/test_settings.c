/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Settings of laxity-sim: where each lands, and which are refused. */
#include "../test.h"
#include "base/error.h"
#include "cli/settings.h"
#include "interface/engine.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two cores with a level of their own each and one for both; no first level of instructions. */
static const char whole[] = "ticks_per_s 2200000000 3\n"
                            "cycle_ticks 11\n"
                            "architecture armhf\n"
                            "core.scheduling cortex-a9\n"
                            "levels 2\n"
                            "regions 2\n"
                            "line 32\n"
                            "core.count 2\n"
                            "core.instruction_cycles 11\n"
                            "core.fill_buffers 2\n"
                            "core.store_entries 4\n"
                            "core.merges_stores 1\n"
                            "core.predictor_entries 512\n"
                            "core.mispredict_cycles 88\n"
                            "core.walk_loads 2\n"
                            "core.walk_cycles 44\n"
                            "core.switch_cycles 26400\n"
                            "core.kernel_code 128\n"
                            "core.kernel_data 64\n"
                            "l1d.size 32768\n"
                            "l1d.ways 4\n"
                            "l1d.replacement 3\n"
                            "l1d.writes_through 1\n"
                            "dtlb.entries 262144\n"
                            "dtlb.ways 2\n"
                            "dtlb.replacement 1\n"
                            "level.0.size 65536\n"
                            "level.0.ways 8\n"
                            "level.0.replacement 1\n"
                            "level.0.shared_by 1\n"
                            "level.0.hit_cycles 20\n"
                            "level.0.inclusion 2\n"
                            "level.0.prefetch 0\n"
                            "level.1.size 1048576\n"
                            "level.1.ways 16\n"
                            "level.1.replacement 2\n"
                            "level.1.shared_by 2\n"
                            "level.1.hit_cycles 209\n"
                            "level.1.inclusion 1\n"
                            "level.1.prefetch 2\n"
                            "level.1.partition 15 65520\n"
                            "coherence.transfer_cycles 220\n"
                            "coherence.upgrade_cycles 110\n"
                            "timer.interval 13200000\n"
                            "timer.cycles 8800\n"
                            "timer.code 16\n"
                            "timer.data 8\n"
                            "probe.cycles 5500\n"
                            "probe.code 4\n"
                            "probe.data 2\n"
                            "probe.log 256\n"
                            "probe.log_hz 3500\n"
                            "domain.cores 1\n"
                            "domain.hops.0 0 33\n"
                            "domain.hops.1 44 0\n"
                            "domain.link_line_cycles 22\n"
                            "memory.per_domain 1\n"
                            "memory.home 1\n"
                            "memory.channels 1\n"
                            "memory.read_queue 16\n"
                            "memory.write_queue 8\n"
                            "memory.reorder 9\n"
                            "memory.banks 10\n"
                            "memory.row 256\n"
                            "memory.placement 3\n"
                            "memory.placement_seed 4294967295\n"
                            "memory.colours 16\n"
                            "memory.request_cycles 418\n"
                            "memory.response_cycles 407\n"
                            "memory.hit_cycles 175\n"
                            "memory.empty_cycles 350\n"
                            "memory.conflict_cycles 525\n"
                            "memory.line_cycles 100\n"
                            "memory.word_cycles 50\n"
                            "memory.turnaround_cycles 174\n"
                            "memory.refresh_interval 102950\n"
                            "memory.refresh_cycles 2150\n"
                            "region.0.of 2\n"
                            "region.0.domain 0\n"
                            "region.0.cached 0\n"
                            "region.0.way_to 0\n"
                            "region.0.size 8192\n"
                            "region.0.read_queue 3\n"
                            "region.0.write_queue 5\n"
                            "region.0.request_cycles 11\n"
                            "region.0.access_cycles 22\n"
                            "region.0.line_cycles 44\n"
                            "region.0.word_cycles 55\n"
                            "region.0.response_cycles 66\n"
                            "region.1.of 0\n"
                            "region.1.domain 1\n"
                            "region.1.cached 1\n"
                            "region.1.way_to 2\n"
                            "region.1.size 0\n"
                            "region.1.read_queue 1\n"
                            "region.1.write_queue 1\n"
                            "region.1.request_cycles 1\n"
                            "region.1.access_cycles 0\n"
                            "region.1.line_cycles 1\n"
                            "region.1.word_cycles 1\n"
                            "region.1.response_cycles 0\n"
                            "place 0 4 0 4294967295\n"
                            "place 3 5 2 1\n";

/* The last six characters of the path are chosen. */
static void write_file(char *path, const char *text)
{
    const int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static int read_text(const char *text, struct laxity_sim_platform *platform)
{
    char path[] = "/tmp/laxity-settings-XXXXXX";
    write_file(path, text);
    struct laxity_error error = {.exit_code = 0};
    const int result = laxity_sim_settings_read(path, platform, &error);
    CHECK((result == 0) == (error.text[0] == '\0'));
    (void)unlink(path);
    return result;
}

/* The whole, and room for what a change adds. */
typedef char Text[sizeof whole + LAXITY_ERROR_TEXT_BYTES];

static void change(char *text, const char *old, const char *new)
{
    Text before;
    (void)snprintf(before, sizeof before, "%s", text);
    const char *at = strstr(before, old);
    CHECK(at && strlen(text) + strlen(new) < sizeof(Text));
    (void
    )snprintf(text, sizeof(Text), "%.*s%s%s", (int)(at - before), before, new, at + strlen(old));
}

/* The whole with one line replaced: 0 if it is understood. */
static int read_changed(const char *old, const char *new)
{
    Text text;
    (void)snprintf(text, sizeof text, "%s", whole);
    change(text, old, new);
    struct laxity_sim_platform platform;
    return read_text(text, &platform);
}

/* The same with so many cores in one domain. */
static int read_cores(const char *count)
{
    Text text;
    (void)snprintf(text, sizeof text, "%s", whole);
    change(text, "core.count 2", count);
    change(text, "domain.cores 1", "domain.cores 64");
    change(text, "region.1.domain 1", "region.1.domain 0");
    struct laxity_sim_platform platform;
    return read_text(text, &platform);
}

static void each_setting_lands_in_its_member(void)
{
    struct laxity_sim_platform platform;
    CHECK_EQUAL(read_text(whole, &platform), 0);
    CHECK_EQUAL(platform.ticks_per_s[0], 2200000000);
    CHECK_EQUAL(platform.ticks_per_s[1], 3);
    CHECK_EQUAL(platform.n_levels, 2);
    CHECK_EQUAL(platform.line_bytes, 32);
    CHECK_EQUAL(platform.cores, 2);
    CHECK_EQUAL(platform.instruction_ticks, 11);
    CHECK_EQUAL(platform.fill_buffers, 2);
    CHECK_EQUAL(platform.store_entries, 4);
    CHECK(platform.merges_stores);
    CHECK_EQUAL(platform.predictor_entries, 512);
    CHECK_EQUAL(platform.mispredict_ticks, 88);
    CHECK_EQUAL(platform.walk_loads, 2);
    CHECK_EQUAL(platform.walk_ticks, 44);
    CHECK_EQUAL(platform.switch_ticks, 26400);
    CHECK_EQUAL(platform.kernel_code_lines, 128);
    CHECK_EQUAL(platform.kernel_data_lines, 64);
    CHECK_EQUAL(platform.timer_interval, 13200000);
    CHECK_EQUAL(platform.timer_ticks, 8800);
    CHECK_EQUAL(platform.timer_code_lines, 16);
    CHECK_EQUAL(platform.timer_data_lines, 8);
    CHECK_EQUAL(platform.probe_ticks, 5500);
    CHECK_EQUAL(platform.probe_code_lines, 4);
    CHECK_EQUAL(platform.probe_data_lines, 2);
    CHECK_EQUAL(platform.probe_log_entries, 256);
    CHECK_EQUAL(platform.probe_log_hz, 3500);
    CHECK_EQUAL(platform.transfer_ticks, 220);
    CHECK_EQUAL(platform.upgrade_ticks, 110);
    CHECK_EQUAL(platform.l1i.size_bytes, 0);
    CHECK_EQUAL(platform.l1d.size_bytes, 32768);
    CHECK_EQUAL(platform.l1d.ways, 4);
    CHECK_EQUAL(platform.l1d.replacement, LAXITY_SIM_RANDOM);
    CHECK(platform.writes_through);
    CHECK(platform.placement == LAXITY_SIM_COLOURED);
    CHECK_EQUAL(platform.placement_seed, 4294967295);
    CHECK_EQUAL(platform.colours, 16);
    CHECK_EQUAL(platform.itlb.size_bytes, 0);
    CHECK_EQUAL(platform.dtlb.size_bytes, 262144);
    CHECK_EQUAL(platform.dtlb.ways, 2);
    CHECK_EQUAL(platform.dtlb.replacement, LAXITY_SIM_PLRU);
}

static void each_setting_of_a_level_lands_in_that_level(void)
{
    struct laxity_sim_platform platform;
    CHECK_EQUAL(read_text(whole, &platform), 0);
    const struct laxity_sim_level *first = &platform.levels[0];
    const struct laxity_sim_level *second = &platform.levels[1];
    CHECK_EQUAL(first->cache.size_bytes, 65536);
    CHECK_EQUAL(first->cache.replacement, LAXITY_SIM_PLRU);
    CHECK_EQUAL(first->cores, 1);
    CHECK_EQUAL(first->hit_ticks, 20);
    CHECK(first->inclusion == LAXITY_SIM_EXCLUSIVE);
    CHECK(first->prefetch == LAXITY_SIM_PREFETCH_NONE);
    CHECK_EQUAL(first->way_masks[0], 0);
    CHECK_EQUAL(second->cache.ways, 16);
    CHECK_EQUAL(second->cache.replacement, LAXITY_SIM_FIFO);
    CHECK_EQUAL(second->cores, 2);
    CHECK(second->inclusion == LAXITY_SIM_INCLUSIVE);
    CHECK(second->prefetch == LAXITY_SIM_PREFETCH_STRIDE);
    CHECK_EQUAL(second->way_masks[0], 15);
    CHECK_EQUAL(second->way_masks[1], 65520);
    CHECK_EQUAL(second->way_masks[2], 0);
}

static void each_setting_of_the_memory_lands_in_its_member(void)
{
    struct laxity_sim_platform platform;
    CHECK_EQUAL(read_text(whole, &platform), 0);
    const struct laxity_sim_memory *memory = &platform.memory;
    CHECK_EQUAL(memory->channels, 1);
    CHECK_EQUAL(memory->read_queue, 16);
    CHECK_EQUAL(memory->write_queue, 8);
    CHECK_EQUAL(memory->reorder, 9);
    CHECK_EQUAL(memory->banks, 10);
    CHECK_EQUAL(memory->row_lines, 256);
    CHECK_EQUAL(memory->request_ticks, 418);
    CHECK_EQUAL(memory->response_ticks, 407);
    CHECK_EQUAL(memory->hit_ticks, 175);
    CHECK_EQUAL(memory->empty_ticks, 350);
    CHECK_EQUAL(memory->conflict_ticks, 525);
    CHECK_EQUAL(memory->line_ticks, 100);
    CHECK_EQUAL(memory->turnaround_ticks, 174);
    CHECK_EQUAL(memory->refresh_interval, 102950);
    CHECK_EQUAL(memory->refresh_ticks, 2150);
    CHECK_EQUAL(memory->word_ticks, 50);
}

static void each_setting_of_domains_and_regions_lands_in_its_member(void)
{
    struct laxity_sim_platform platform;
    CHECK_EQUAL(read_text(whole, &platform), 0);
    CHECK_EQUAL(platform.domain_cores, 1);
    CHECK_EQUAL(platform.link_ticks[0][0], 0);
    CHECK_EQUAL(platform.link_ticks[0][1], 33);
    CHECK_EQUAL(platform.link_ticks[1][0], 44);
    CHECK_EQUAL(platform.link_line_ticks, 22);
    CHECK(platform.has_memory_each);
    CHECK(platform.home == LAXITY_SIM_INTERLEAVED);
    CHECK_EQUAL(platform.n_regions, 2);
    const struct laxity_sim_region *scratchpad = &platform.regions[0];
    CHECK(scratchpad->of == LAXITY_SIM_OF_CORE && !scratchpad->is_cached && !scratchpad->is_alias);
    CHECK_EQUAL(scratchpad->size_bytes, 8192);
    CHECK_EQUAL(scratchpad->memory.read_queue, 3);
    CHECK_EQUAL(scratchpad->memory.write_queue, 5);
    CHECK_EQUAL(scratchpad->memory.request_ticks, 11);
    CHECK_EQUAL(scratchpad->memory.hit_ticks, 22);
    CHECK_EQUAL(scratchpad->memory.empty_ticks, 22);
    CHECK_EQUAL(scratchpad->memory.conflict_ticks, 22);
    CHECK_EQUAL(scratchpad->memory.line_ticks, 44);
    CHECK_EQUAL(scratchpad->memory.word_ticks, 55);
    CHECK_EQUAL(scratchpad->memory.response_ticks, 66);
    CHECK_EQUAL(scratchpad->memory.channels, 1);
    CHECK_EQUAL(scratchpad->memory.banks, 1);
    /* The second one leads to the first, region 1; 1 more than its number is told. */
    const struct laxity_sim_region *way = &platform.regions[1];
    CHECK(way->is_cached && way->is_alias);
    CHECK_EQUAL(way->alias, 1);
    CHECK_EQUAL(way->domain, 1);
}

static void regions_that_cannot_be_are_refused(void)
{
    CHECK_EQUAL(read_changed("region.1.way_to 2", "region.1.way_to 1"), 0);
    /* To itself, or to one that is another way. */
    CHECK_EQUAL(read_changed("region.1.way_to 2", "region.1.way_to 3"), -1);
    CHECK_EQUAL(read_changed("region.0.way_to 0", "region.0.way_to 1"), -1);
    CHECK_EQUAL(read_changed("region.1.domain 1", "region.1.domain 2"), -1);
    CHECK_EQUAL(read_changed("region.0.word_cycles 55", "region.0.word_cycles 0"), -1);
    CHECK_EQUAL(read_changed("region.0.read_queue 3\n", ""), -1);
    CHECK_EQUAL(read_changed("regions 2", "regions 3"), -1);
    CHECK_EQUAL(read_changed("regions 2", "regions 17"), -1);
}

static void places_are_read_from_the_same_file(void)
{
    char path[] = "/tmp/laxity-settings-XXXXXX";
    write_file(path, whole);
    struct laxity_error error = {.exit_code = 0};
    struct laxity_sim_placed *placed = NULL;
    size_t n = 0;
    CHECK_EQUAL(laxity_sim_settings_read_placed(path, &placed, &n, &error), 0);
    (void)unlink(path);
    CHECK_EQUAL(n, 2);
    CHECK(placed[0].program == 0 && placed[0].storage == LAXITY_SIM_HEAP);
    CHECK(placed[0].place.region == 0 && placed[0].place.instance == LAXITY_SIM_HOME);
    CHECK(placed[1].program == 3 && placed[1].storage == LAXITY_SIM_STACK);
    CHECK(placed[1].place.region == 2 && placed[1].place.instance == 1);
    free(placed);
}

static void places_that_are_nowhere_are_refused(void)
{
    /* Of cores 0 and 1, of regions up to 2, of six classes. */
    CHECK_EQUAL(read_changed("place 3 5 2 1", "place 3 5 2 0"), 0);
    CHECK_EQUAL(read_changed("place 3 5 2 1", "place 3 5 2 2"), -1);
    CHECK_EQUAL(read_changed("place 3 5 2 1", "place 3 5 3 1"), -1);
    CHECK_EQUAL(read_changed("place 3 5 2 1", "place 3 6 2 1"), -1);
    CHECK_EQUAL(read_changed("place 3 5 2 1", "place 3 5 2"), -1);
    CHECK_EQUAL(read_changed("place 3 5 2 1", "place 3 5 2 1 1"), -1);
    /* Only the main memory is a home; here each domain has some. */
    CHECK_EQUAL(read_changed("place 3 5 2 1", "place 3 5 1 4294967295"), -1);
    CHECK_EQUAL(read_changed("place 3 5 2 1", "place 3 5 0 1"), 0);
    CHECK_EQUAL(read_changed("place 3 5 2 1", "place 3 5 0 2"), -1);
}

static void what_is_known_of_instructions_is_read_from_the_same_file(void)
{
    char path[] = "/tmp/laxity-settings-XXXXXX";
    write_file(path, whole);
    struct laxity_error error = {.exit_code = 0};
    struct laxity_sim_instructions known;
    CHECK_EQUAL(laxity_sim_settings_read_instructions(path, &known, &error), 0);
    (void)unlink(path);
    CHECK(strcmp(known.architecture, "armhf") == 0);
    CHECK(strcmp(known.scheduling, "cortex-a9") == 0);
    CHECK_EQUAL(known.cycle_ticks, 11);
    CHECK_EQUAL(laxity_sim_settings_read_instructions("/nowhere/none", &known, &error), -1);
}

static void words_that_are_none_are_refused(void)
{
    CHECK_EQUAL(read_changed("armhf", "arm hf"), -1);
    CHECK_EQUAL(read_changed("architecture armhf\n", ""), -1);
    CHECK_EQUAL(read_changed("core.scheduling cortex-a9\n", ""), -1);
    CHECK_EQUAL(read_changed("cycle_ticks 11", "cycle_ticks 0"), -1);
    /* 47 bytes fit, 48 do not. */
    CHECK_EQUAL(read_changed("armhf", "12345678901234567890123456789012345678901234567"), 0);
    CHECK_EQUAL(read_changed("armhf", "123456789012345678901234567890123456789012345678"), -1);
}

static void numbers_out_of_range_are_refused(void)
{
    CHECK_EQUAL(read_cores("core.count 64"), 0);
    CHECK_EQUAL(read_cores("core.count 65"), -1);
    CHECK_EQUAL(read_cores("core.count 0"), -1);
    /* A domain each, and there are at most 16. */
    CHECK_EQUAL(read_changed("core.count 2", "core.count 16"), 0);
    CHECK_EQUAL(read_changed("core.count 2", "core.count 18"), -1);
    CHECK_EQUAL(read_changed("cycles 26400", "cycles 4294967295"), 0);
    CHECK_EQUAL(read_changed("cycles 26400", "cycles 4294967296"), -1);
    CHECK_EQUAL(read_changed("cycles 26400", "cycles 99999999999999999999"), -1);
    CHECK_EQUAL(read_changed("merges_stores 1", "merges_stores 2"), -1);
    CHECK_EQUAL(read_changed("l1d.replacement 3", "l1d.replacement 4"), -1);
    CHECK_EQUAL(read_changed("levels 2", "levels 5"), -1);
}

static void lines_that_are_none_are_refused(void)
{
    CHECK_EQUAL(read_changed("line 32", "line"), -1);
    CHECK_EQUAL(read_changed("line 32", "line "), -1);
    CHECK_EQUAL(read_changed("line 32", "line -32"), -1);
    CHECK_EQUAL(read_changed("line 32", "line 32 "), -1);
    CHECK_EQUAL(read_changed("line 32", "line 32x"), -1);
    CHECK_EQUAL(read_changed("line 32", "line 32 32"), -1);
    CHECK_EQUAL(read_changed("line 32\n", "lines 32\n"), -1);
    CHECK_EQUAL(read_changed("place 3 5 2 1\n", "place 3 5 2 1"), -1);
}

static void settings_that_are_missing_are_refused(void)
{
    CHECK_EQUAL(read_changed("core.fill_buffers 2\n", ""), -1);
    CHECK_EQUAL(read_changed("ticks_per_s 2200000000 3", "ticks_per_s 2200000000"), -1);
    CHECK_EQUAL(read_changed("l1d.ways 4\n", ""), -1);
    CHECK_EQUAL(read_changed("level.1.hit_cycles 209\n", ""), -1);
    CHECK_EQUAL(read_changed("level.1.partition 15 65520\n", ""), 0);
}

static void switch_with_lines_and_without_ticks_is_refused(void)
{
    CHECK_EQUAL(read_changed("core.switch_cycles 26400", "core.switch_cycles 1"), 0);
    CHECK_EQUAL(read_changed("core.switch_cycles 26400", "core.switch_cycles 0"), -1);
}

static void timer_without_ticks_is_refused(void)
{
    CHECK_EQUAL(read_changed("timer.cycles 8800", "timer.cycles 1"), 0);
    CHECK_EQUAL(read_changed("timer.cycles 8800", "timer.cycles 0"), -1);
    CHECK_EQUAL(
        read_changed(
            "timer.interval 13200000\ntimer.cycles 8800", "timer.interval 0\ntimer.cycles 0"
        ),
        0
    );
}

static void predictor_of_no_power_of_two_is_refused(void)
{
    CHECK_EQUAL(read_changed("predictor_entries 512", "predictor_entries 0"), 0);
    CHECK_EQUAL(read_changed("predictor_entries 512", "predictor_entries 511"), -1);
}

static void caches_that_cannot_be_are_refused(void)
{
    /* 48 KiB of 32 B in 3 ways are 512 sets; 32 KiB are 341 and a third, 96 KiB in 2 ways 1536. */
    CHECK_EQUAL(read_changed("l1d.ways 4", "l1d.ways 3"), -1);
    CHECK_EQUAL(read_changed("l1d.size 32768\nl1d.ways 4", "l1d.size 49152\nl1d.ways 3"), 0);
    CHECK_EQUAL(read_changed("l1d.size 32768\nl1d.ways 4", "l1d.size 98304\nl1d.ways 2"), -1);
    CHECK_EQUAL(read_changed("l1d.ways 4", "l1d.ways 0"), -1);
    /* With replacement 1 (plru) a set is a whole tree: 2 * 12 * 4096 bytes. */
    CHECK_EQUAL(
        read_changed(
            "dtlb.entries 262144\ndtlb.ways 2\ndtlb.replacement 1",
            "dtlb.entries 98304\ndtlb.ways 12\ndtlb.replacement 0"
        ),
        0
    );
    CHECK_EQUAL(
        read_changed("dtlb.entries 262144\ndtlb.ways 2", "dtlb.entries 98304\ndtlb.ways 12"), -1
    );
    CHECK_EQUAL(read_changed("l1d.size 32768", "l1d.size 128"), 0);
    CHECK_EQUAL(read_changed("l1d.size 32768", "l1d.size 64"), -1);
    CHECK_EQUAL(read_changed("dtlb.entries 262144", "dtlb.entries 8192"), 0);
    CHECK_EQUAL(read_changed("dtlb.entries 262144", "dtlb.entries 4096"), -1);
    CHECK_EQUAL(read_changed("dtlb.entries 262144", "dtlb.entries 268435456"), 0);
    CHECK_EQUAL(read_changed("dtlb.entries 262144", "dtlb.entries 536870912"), -1);
    CHECK_EQUAL(read_changed("level.0.size 65536", "level.0.size 65535"), -1);
    CHECK_EQUAL(read_changed("level.1.shared_by 2", "level.1.shared_by 1"), 0);
    CHECK_EQUAL(read_changed("level.0.shared_by 1", "level.0.shared_by 2"), 0);
    CHECK_EQUAL(read_changed("level.0.shared_by 1", "level.0.shared_by 3"), -1);
    CHECK_EQUAL(read_changed("line 32", "line 48"), -1);
    CHECK_EQUAL(read_changed("line 32", "line 64"), 0);
    /* The bytes of a longer line could not be noted, and stores merge here. */
    CHECK_EQUAL(read_changed("line 32", "line 128"), -1);
}

static void colours_that_are_no_power_of_two_are_refused(void)
{
    CHECK_EQUAL(read_changed("memory.colours 16", "memory.colours 8"), 0);
    CHECK_EQUAL(read_changed("memory.colours 16", "memory.colours 12"), -1);
    CHECK_EQUAL(read_changed("memory.colours 16", "memory.colours 0"), -1);
    CHECK_EQUAL(read_changed("memory.placement 3", "memory.placement 4"), -1);
}

int main(void)
{
    RUN(each_setting_lands_in_its_member);
    RUN(each_setting_of_a_level_lands_in_that_level);
    RUN(each_setting_of_the_memory_lands_in_its_member);
    RUN(each_setting_of_domains_and_regions_lands_in_its_member);
    RUN(regions_that_cannot_be_are_refused);
    RUN(places_are_read_from_the_same_file);
    RUN(places_that_are_nowhere_are_refused);
    RUN(what_is_known_of_instructions_is_read_from_the_same_file);
    RUN(words_that_are_none_are_refused);
    RUN(numbers_out_of_range_are_refused);
    RUN(lines_that_are_none_are_refused);
    RUN(settings_that_are_missing_are_refused);
    RUN(switch_with_lines_and_without_ticks_is_refused);
    RUN(timer_without_ticks_is_refused);
    RUN(predictor_of_no_power_of_two_is_refused);
    RUN(caches_that_cannot_be_are_refused);
    RUN(colours_that_are_no_power_of_two_are_refused);
    return test_exit_code();
}

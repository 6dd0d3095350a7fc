# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
#
# What the make files of RT-Bench's ports include as generator/rtbench.mk: its variables and its target `rtbench`, so that the
# ports link with laxity's harness. Written from its documented interface; docs/rt-bench.md is the user's page.
# LAXITY_BUILD names another build directory of the checkout than `build`, one for another instruction set for instance.

laxity_here := $(lastword $(MAKEFILE_LIST))
ifneq ($(words $(realpath $(laxity_here))),1)
$(error rtbench.mk: "$(realpath $(laxity_here))": make cannot name a path with a blank in it; move laxity to one without)
endif
# The directory of this file, however it was reached: `generator` may be a symbolic link.
CUR_DIR := $(patsubst %/,%,$(dir $(realpath $(laxity_here))))

# The switches of the user's tree, where it has any: newer versions keep them beside `generator`, link or not.
-include $(dir $(patsubst %/,%,$(dir $(laxity_here))))options.mk

ifneq ($(wildcard $(CUR_DIR)/../../meson.build),)
# A checkout.
laxity_root := $(abspath $(CUR_DIR)/../..)
laxity_library_dir := $(or $(LAXITY_BUILD),$(laxity_root)/build)/native
laxity_remedy := build it: $(if $(LAXITY_BUILD),ninja -C $(LAXITY_BUILD),$(laxity_root)/laxity --version)
else
# Installed: PREFIX/lib/laxity/rtbench/generator.
laxity_root := $(abspath $(CUR_DIR)/../../../..)
laxity_library_dir := $(abspath $(CUR_DIR)/..)
laxity_remedy := install laxity again: meson install -C build
endif

laxity_library := $(laxity_library_dir)/liblaxity-rtbench.a
# The machine that the library is for, then what a link with it needs.
laxity_link := $(file <$(laxity_library_dir)/liblaxity-rtbench.link)

INCLUDE := $(laxity_root)/include/rtbench
# Ports compile what they find in SOURCE, and their `clean` removes BASE_O: neither may name anything of ours. The harness is in
# LDFLAGS, as an archive, which may stand there twice.
OBJECT := $(CUR_DIR)/object
SOURCE := $(CUR_DIR)/src
BASE_O :=

CC ?= gcc
CXX ?= g++
override CFLAGS += -O2 -Wall -g -I$(INCLUDE) -DGCC
CXXFLAGS = $(CFLAGS)
override LDFLAGS += $(laxity_library) $(wordlist 2,$(words $(laxity_link)),$(laxity_link)) -lrt -lm -pthread

# Which of RT-Bench's counters a port was built for; ports may ask by these macros.
ifeq ($(CORE),CORTEX_A53)
override CFLAGS += -DAARCH64 -DCORTEX_A53
endif
ifeq ($(CORE),CORE_I7)
override CFLAGS += -DX86_64 -DCORE_I7
endif
# -g FILE is read always, without a library.
ifeq ($(JSON),1)
override CFLAGS += -DJSON_SUPPORT
endif
ifneq ($(filter 1,$(EXTENDED_REPORT))$(filter y,$(FEAT_EXTENDED_REPORT)),)
override CFLAGS += -DEXTENDED_REPORT
endif
# Of newer versions: FEAT_NAME=y or n; optional_features.h makes the rest of it.
laxity_feature = $(if $(filter y,$(FEAT_$(1))),-DFEAT_$(1)_SUPPORT=1,$(if $(filter n,$(FEAT_$(1))),-DFEAT_$(1)_SUPPORT=0))
override CFLAGS += $(foreach name,SCHED_DEADLINE PERF JSON PRINT_SKIPPED_DEADLINE EXTENDED_REPORT,$(call laxity_feature,$(name)))

# Which rows there are is decided by what the program is linked with: the CSV is written by it.
ifeq ($(FEAT_PRINT_SKIPPED_DEADLINE),n)
override LDFLAGS += -Wl,--undefined=laxity_rtbench_hides_skipped
endif

# A log file that the harness opens; with FEAT_DEBUG_FILE all that the port logs goes there.
ifneq ($(filter y,$(FEAT_BMARK_LOG_FILE) $(FEAT_DEBUG_FILE)),)
override LDFLAGS += -Wl,--undefined=laxity_rtbench_log_file
endif
ifeq ($(FEAT_DEBUG_FILE),y)
override CFLAGS += -DFEAT_DEBUG_FILE=1
endif

# Columns of counters: older versions have them where CORE names one of theirs, newer ones ask for them.
ifneq ($(filter CORTEX_A53 CORE_I7,$(CORE))$(filter y,$(FEAT_PERF)),)
ifneq ($(FEAT_PERF),n)
override LDFLAGS += -Wl,--undefined=laxity_rtbench_counts_events
endif
endif

# arm-linux-gnueabihf of gcc is armv7l-unknown-linux-gnueabihf elsewhere, i386 also i686.
laxity_family = $(patsubst i%86,x86,$(patsubst arm%,arm,$(firstword $(subst -, ,$(1)))))
laxity_machine = $(call laxity_family,$(firstword $(laxity_link)))
laxity_compiler_machine = $(call laxity_family,$(shell $(CC) -dumpmachine))

.PHONY: default rtbench
# The first target of all, so that the port's `all` is what plain `make` makes.
default: all

# What a port may ask of the build, and the library does not have.
laxity_statically := $(filter y,$(FEAT_GCC_STATIC) $(FEAT_STATICX))

# There is nothing to compile; it only says what a linker would say less plainly, and whose harness it is.
rtbench:
	$(if $(wildcard $(laxity_library)),,$(error rtbench.mk: linking with $(laxity_library): there is no such file; $(laxity_remedy)))
	$(if $(filter $(laxity_machine),$(laxity_compiler_machine)),,$(error rtbench.mk: compiling with "$(CC)": it is for $(or $(laxity_compiler_machine),an unknown machine), and $(laxity_library) for $(laxity_machine); choose another CC, or name that machine's build directory in LAXITY_BUILD))
	$(if $(laxity_statically),$(if $(filter -static,$(laxity_link)),,$(error rtbench.mk: linking statically with $(laxity_library): it is for dynamic links; name a static build in LAXITY_BUILD (meson setup DIR -Dc_link_args=-static))))
	@echo "rtbench.mk: links with laxity's harness, $(laxity_library)"

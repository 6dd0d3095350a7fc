/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What probes find on a machine and a simulated platform does not have. */
#include "probes/probe.h"
#include "probes/switch_quantities.h"
#include "probes/switch_victim.h"

int laxity_switch_measure_kernel(struct laxity_switch_victim *victim)
{
    laxity_probe_add_fallback(
        victim->run, "switch_kernel", "nothing", "no Linux records switches on it"
    );
    return 0;
}

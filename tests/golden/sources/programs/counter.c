/* SPDX-FileCopyrightText: 2026 The laxity authors */
/* SPDX-License-Identifier: MIT */
/* What a job leaves decides what the next one does. */
static unsigned n_jobs;

int main(void)
{
    n_jobs++;
    return n_jobs == 1 ? 0 : 1;
}

/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* State in thread-local variables, of which one begins with a value and one with 0. */
static _Thread_local int left = 3;
static _Thread_local int taken;

void thread_local_state_init(void);
void thread_local_state_main(void);
int thread_local_state_return(void);

void thread_local_state_init(void) {}

void thread_local_state_main(void)
{
    left--;
    taken++;
}

int thread_local_state_return(void)
{
    return left != 2 || taken != 1;
}

int main(void)
{
    thread_local_state_init();
    thread_local_state_main();
    return thread_local_state_return();
}

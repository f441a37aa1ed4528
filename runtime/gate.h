/* Places for something that a loop must not use without end (programs at work, connections): at
 * most so many are taken, whoever comes then waits, and is let in first come first served. That
 * happens with the next turn of the loop, never from within the call that gave a place back: nobody
 * is called in the middle of other work; and only to a few with each turn, so that a long queue
 * does not hold up the loop. */
#ifndef RUNTIME_GATE_H
#define RUNTIME_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include <uv.h>

/* Whoever waits; zeroed to begin with. */
struct gate_wait {
    void (*admitted)(struct gate_wait *wait); /* with a place, which it must give back */
    bool waiting;
    struct gate_wait *next, **link;
};

struct gate {
    uv_idle_t turn; /* active while somebody can be let in */
    size_t most, taken;
    size_t a_turn; /* so many are let in with one turn; gate_init says 1 */
    struct gate_wait *queue, **queue_end;
};

/* Lives until gate_close has called `closed` with the handle `turn`, whose data is the gate. */
void gate_init(struct gate *gate, uv_loop_t *loop, size_t most);
void gate_close(struct gate *gate, uv_close_cb closed);
/* Takes a place, if one is free and nobody waits for it. */
bool gate_try(struct gate *gate);
/* Waits behind the others. */
void gate_queue(struct gate *gate, struct gate_wait *wait);
/* Waits no more; nothing happens if it did not. */
void gate_forget(struct gate *gate, struct gate_wait *wait);
/* Gives a place back. */
void gate_leave(struct gate *gate);

#endif

/* Counts the places of a gate and keeps its queue. What a place is good for, and when it is given
 * back, is up to whoever takes it. */
#include "runtime/gate.h"

static bool can_admit(const struct gate *gate) {
    return gate->queue && gate->taken < gate->most;
}

static void admit(uv_idle_t *turn) {
    struct gate *gate = turn->data;
    for (size_t i = 0; i < gate->a_turn && can_admit(gate); i++) {
        struct gate_wait *first = gate->queue;
        gate_forget(gate, first);
        gate->taken++;
        first->admitted(first);
    }
    if (!can_admit(gate)) uv_idle_stop(turn);
}

void gate_init(struct gate *gate, uv_loop_t *loop, size_t most) {
    *gate = (struct gate){.most = most, .a_turn = 1};
    gate->queue_end = &gate->queue;
    uv_idle_init(loop, &gate->turn);
    gate->turn.data = gate;
}

void gate_close(struct gate *gate, uv_close_cb closed) {
    uv_close((uv_handle_t *)&gate->turn, closed);
}

bool gate_try(struct gate *gate) {
    if (gate->queue || gate->taken >= gate->most) return false;
    gate->taken++;
    return true;
}

void gate_queue(struct gate *gate, struct gate_wait *wait) {
    wait->waiting = true;
    wait->next = NULL;
    wait->link = gate->queue_end;
    *gate->queue_end = wait;
    gate->queue_end = &wait->next;
    if (can_admit(gate)) uv_idle_start(&gate->turn, admit);
}

void gate_forget(struct gate *gate, struct gate_wait *wait) {
    if (!wait->waiting) return;
    wait->waiting = false;
    *wait->link = wait->next;
    if (wait->next) wait->next->link = wait->link;
    else gate->queue_end = wait->link;
}

void gate_leave(struct gate *gate) {
    gate->taken--;
    if (can_admit(gate)) uv_idle_start(&gate->turn, admit);
}

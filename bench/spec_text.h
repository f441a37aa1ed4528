/* The workload of the compiler's benchmarks. */
#ifndef BENCH_SPEC_TEXT_H
#define BENCH_SPEC_TEXT_H

#include "base/buf.h"

/* Initialises `out` and fills it with at least `size` bytes of agents, each with four tools of four
 * parameters: descriptions, defaults, bounds, arrays. */
void spec_text(struct buf *out, size_t size);
/* Appends agents number `first` to `first + count - 1`. */
void spec_agents(struct buf *out, unsigned first, unsigned count);

#endif

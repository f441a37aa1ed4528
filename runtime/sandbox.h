/* Which sandbox holds for a program that a library starts (docs/sandbox.md), and with which words
 * gramc-host is told. */
#ifndef RUNTIME_SANDBOX_H
#define RUNTIME_SANDBOX_H

#include "base/mem.h"
#include "gramc/runtime.h"
#include "runtime/egress_policy.h"

struct sandboxes;
struct secrets;

/* Who is one's own, and what there is to hold a program with; in the arena. given NULL: nothing.
 * egress NULL: every library is one's own. NULL without memory. */
struct sandboxes *sandboxes_new(struct arena *arena, const gramc_containment *given,
                                const struct egress_policy *egress);

enum sandbox_verdict {
    SANDBOX_FINE,
    SANDBOX_WIDER,   /* a library from elsewhere asks for more than such a one gets */
    SANDBOX_NOT_HELD /* something that it says cannot be held here */
};

struct sandboxed {
    const gramc_sandbox *said; /* NULL: the program may touch what the user may */
    /* The same as gramc-host is told it: absolute places, with the program's own among those that
     * are read. NULL where `said` is, and where it is refused. */
    const gramc_sandbox *held;
    enum sandbox_verdict verdict;
    gramc_text why; /* half a sentence; empty: it is fine */
    gramc_text help;
};

/* Decides on a program: its argv, folder, file and env, and the sandbox that is said of it alone.
 * of_library: said of all its programs; NULL: nothing is. sandboxes NULL: every library is one's
 * own, and nothing can be held. In the arena; false without memory. */
bool sandbox_decide(struct sandboxed *out, struct arena *arena, struct sandboxes *sandboxes,
                    const gramc_sandbox *of_library, const gramc_impl *program);

/* Where a program with `network: hosts` may connect; of a sandbox that is held. */
const struct egress *sandbox_egress(const gramc_sandbox *held);

/* What a program declares, and behind it a `NAME=${env:NAME}` for each variable that its sandbox
 * names, unless it is not set. In the arena; NULL without memory. */
const gramc_text *sandbox_env(struct arena *arena, const struct sandboxed *sandboxed,
                              const gramc_impl *program, const struct secrets *secrets,
                              size_t *count);

/* ## Places (sandbox_places.c) */
enum { PLACE_WHY_MAX = 512 };

struct sandbox_site {
    const gramc_sandbox *said;
    const gramc_impl *program;
    const gramc_containment *given;
    bool is_own; /* a library of one's own names the program */
};

/* Fills `held` with the places of what is said, made absolute, and with what the program reads by
 * itself. GRAMC_FINDINGS: `why` says which of them cannot be. */
gramc_status sandbox_places(gramc_sandbox *held, struct arena *arena,
                            const struct sandbox_site *site, char why[PLACE_WHY_MAX]);

#endif

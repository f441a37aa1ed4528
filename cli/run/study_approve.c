/* Tools that somebody has to approve of, in an experiment: nobody is asked there, so a call is made
 * if --approve or --approve-all says so, and denied otherwise, which is said before the first one.
 * Which calls those are decides the runtime. */
#include "cli/run/approve.h"
#include "cli/run/study.h"

#include "base/sha256.h"
#include "base/text.h"

/* ## One call */

static void ask(void *ctx, gramc_approval *approval, const gramc_guarded_call *call) {
    const struct study *study = ctx;
    bool given = approve_is_given_call(study->cli, call);
    gramc_approval_answer(approval, given,
                          given ? TEXT("") : TEXT("it needs approval, and nobody can be asked"));
}

/* Every question is answered at once. */
static void withdraw(void *ctx, gramc_approval *approval) {
    (void)ctx, (void)approval;
}

gramc_approver study_approver(struct study *study) {
    return (gramc_approver){ask, withdraw, study};
}

/* ## What will be denied */

/* The next one that arm `arm` has from *at on. */
static bool next_denied(const struct study *study, size_t arm, size_t *at, gramc_choice *out) {
    while (gramc_bound_choice(study->arms[arm].bound, (*at)++, out))
        if (out->asks && !approve_is_given(study->cli, out->tool->name, false)) return true;
    return false;
}

static void warn_of_arm(const struct study *study, size_t arm) {
    FILE *err = study->cli->err;
    gramc_choice choice;
    size_t at = 0, count = 0;
    while (next_denied(study, arm, &at, &choice)) {
        if (!count++) {
            fputs("gramc: arm ", err);
            cli_put_safe(err, study->experiment->arms[arm].name);
            fputs(": ", err);
        } else {
            fputs(", ", err);
        }
        cli_put_safe(err, choice.tool->name);
    }
    if (count)
        fputs(": denied in every run, since somebody has to approve of each call and an experiment "
              "asks nobody; see --approve\n",
              err);
}

void study_warn_denied(const struct study *study) {
    if (!study_calls_tools(study)) return;
    for (size_t arm = 0; arm < study->arm_count; arm++) warn_of_arm(study, arm);
}

/* Runs in which a tool was denied are not those in which it was called: another plan. */
void study_mark_denied(struct study *study) {
    struct plan *plan = &study->plan;
    gramc_choice choice;
    struct sha256 sha;
    bool any = false;
    sha256_init(&sha);
    sha256_add_text(&sha, text_of(plan->fingerprint));
    for (size_t arm = 0; arm < study->arm_count; arm++)
        for (size_t at = 0; next_denied(study, arm, &at, &choice);) {
            sha256_add_number(&sha, arm);
            sha256_add_text(&sha, choice.tool->name);
            any = true;
        }
    if (any) sha256_hex(&sha, plan->fingerprint);
}

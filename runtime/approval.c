/* Hands a question to the embedding program and its answer back to the loop's thread: answers stand
 * in a list under a lock until the loop takes them. Nothing is allocated by who answers, which may
 * be any thread. What is asked about, and what an answer leads to, is checked_call.c's. */
#include "runtime/approval.h"

#include "base/text.h"

enum { WORDS_MAX = 500 };

struct gramc_approval {
    struct approval_question question;
    bool is_answered, allow; /* under the lock of the loop, as the rest */
    char words[WORDS_MAX];
    size_t len;
    gramc_approval *next; /* of those that are answered */
};

/* ## Asking */

gramc_approval *approval_ask(const struct approval_question *question) {
    gramc_approval *approval = mem_alloc(&question->loop->allocator, sizeof(*approval));
    if (!approval) return NULL;
    *approval = (gramc_approval){.question = *question};
    question->approver->ask(question->approver->ctx, approval, question->call);
    return approval;
}

static void forget(gramc_approval *approval) {
    gramc_approval **link = &approval->question.loop->answered;
    while (*link && *link != approval) link = &(*link)->next;
    if (!*link) return;
    *link = approval->next;
    if (!*link) approval->question.loop->answered_end = link;
}

void approval_cancel(gramc_approval *approval) {
    const struct approval_question *question = &approval->question;
    gramc_loop *loop = question->loop;
    uv_mutex_lock(&loop->answered_lock);
    bool is_answered = approval->is_answered;
    uv_mutex_unlock(&loop->answered_lock);
    if (!is_answered) question->approver->withdraw(question->approver->ctx, approval);
    uv_mutex_lock(&loop->answered_lock);
    forget(approval);
    uv_mutex_unlock(&loop->answered_lock);
    mem_free(&loop->allocator, approval, sizeof(*approval));
}

/* ## Answers */

static gramc_text fitting(gramc_text words) {
    size_t end = 0, next = 0;
    while (next < words.len) {
        text_decode(words, &next);
        if (next > WORDS_MAX) break;
        end = next;
    }
    return text_slice(words, 0, end);
}

void gramc_approval_answer(gramc_approval *approval, bool allow, gramc_text words) {
    gramc_loop *loop = approval->question.loop;
    gramc_text kept = fitting(words);
    uv_mutex_lock(&loop->answered_lock);
    if (!approval->is_answered) {
        approval->is_answered = true;
        approval->allow = allow;
        approval->len = kept.len;
        if (kept.len) memcpy(approval->words, kept.ptr, kept.len);
        *loop->answered_end = approval;
        loop->answered_end = &approval->next;
        uv_async_send(&loop->answers);
    }
    uv_mutex_unlock(&loop->answered_lock);
}

static gramc_approval *take_first(gramc_loop *loop) {
    uv_mutex_lock(&loop->answered_lock);
    gramc_approval *first = loop->answered;
    if (first) forget(first);
    uv_mutex_unlock(&loop->answered_lock);
    return first;
}

/* One by one: what an answer leads to may withdraw others. */
static void on_answers(uv_async_t *async) {
    gramc_loop *loop = async->data;
    for (gramc_approval *first; (first = take_first(loop)) != NULL;) {
        const struct approval_question question = first->question;
        question.answered(question.ctx, first->allow, (gramc_text){first->words, first->len});
        mem_free(&loop->allocator, first, sizeof(*first));
    }
}

/* ## The loop */

gramc_status approvals_open(gramc_loop *loop) {
    if (uv_mutex_init(&loop->answered_lock)) return GRAMC_NOMEM;
    loop->answers.data = loop;
    loop->answered_end = &loop->answered;
    if (uv_async_init(&loop->uv, &loop->answers, on_answers) == 0) return GRAMC_OK;
    uv_mutex_destroy(&loop->answered_lock);
    return GRAMC_NOMEM;
}

void approvals_close(gramc_loop *loop) {
    uv_close((uv_handle_t *)&loop->answers, NULL);
}

void approvals_free(gramc_loop *loop) {
    uv_mutex_destroy(&loop->answered_lock);
}

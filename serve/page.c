/* The chat page: one document with its style and its script, which nothing else may be loaded
 * beside. */
#include "serve/answering.h"

#include "base/text.h"
#include "page.h"

void answer_page(struct asked *asked) {
    asked->policy = page_policy;
    reply_constant(asked, 200, "text/html; charset=utf-8",
                   (gramc_text){page_html, sizeof(page_html) - 1});
}

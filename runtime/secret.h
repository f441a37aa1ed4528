/* The environment variables that a library may use, with their values, and how they are kept out of
 * what is said. The environment itself is read by whoever embeds the library. */
#ifndef RUNTIME_SECRET_H
#define RUNTIME_SECRET_H

#include "base/buf.h"
#include "gramc/runtime.h"

struct secrets;

/* They come from an environment, where no text holds a NUL. */
bool secrets_are_usable(const gramc_pair *pairs, size_t count);
/* Copies names and values. A pair whose value has no ptr is allowed, but not set. */
gramc_status secrets_new(struct secrets **out, const gramc_allocator *allocator,
                         const gramc_pair *pairs, size_t count);
/* Overwrites the values first. NULL is fine. */
void secrets_free(struct secrets *secrets);

enum secret_verdict {
    SECRET_FINE,
    SECRET_OF_PROVIDER, /* the key of a model's provider is nobody's but ours, also if listed */
    SECRET_NOT_ALLOWED,
    SECRET_NOT_SET
};

/* `value` may be NULL. secrets NULL: none are allowed. */
enum secret_verdict secrets_find(const struct secrets *secrets, gramc_text name, gramc_text *value);
/* As template_secret wants it; ctx is a struct secrets. */
bool secrets_look_up(const void *secrets, gramc_text name, gramc_text *out);

/* Adds what is not known yet: afterwards it is hidden, too. `*known` may be NULL before. */
gramc_status secrets_learn(struct secrets **known, const gramc_allocator *allocator,
                           const gramc_pair *more, size_t count);
gramc_status secrets_merge(struct secrets **known, const gramc_allocator *allocator,
                           const struct secrets *more);

/* How the name of one begins that is of no environment: a type calls it secret (secret_typed.h). */
#define SECRET_TYPED "secret:"

/* ## Hiding (secret_hide.c) */

/* Replaces every value in `text` by ${env:NAME}, also where it is escaped as JSON, for a URL, for
 * HTML, in any mixture, or a part of base64: servers like to repeat what they were sent. So is the
 * part of one that stands where a text was cut, which "..." marks. Values shorter than
 * SECRET_SHORTEST stay: they occur by chance. May fail as any writing to `text`. */
enum { SECRET_SHORTEST = 4 };
void secrets_hide(const struct secrets *secrets, struct buf *text);
/* Those of that length and longer; SECRET_SURE: that occur by chance hardly ever. */
enum { SECRET_SURE = 8 };
void secrets_hide_from(const struct secrets *secrets, struct buf *text, size_t shortest);
/* False: it would stay as it is, and need not be copied first. */
bool secrets_may_stand_in(const struct secrets *secrets, gramc_text text, size_t shortest);
/* The same for a text that is known to be a part of a longer one. */
enum text_cut { CUT_NOWHERE = 0, CUT_AT_START = 1, CUT_AT_END = 2 };
void secrets_hide_cut(const struct secrets *secrets, struct buf *text, enum text_cut cut);
/* How many bytes of a text that is still coming can be hidden and shown without what follows: what
 * may be a part of a value, as secrets_hide_from finds them, has to wait (secret_stream.c). */
size_t secrets_settled(const struct secrets *secrets, gramc_text text, size_t shortest);

#endif

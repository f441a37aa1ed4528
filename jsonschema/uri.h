/* URI references (RFC 3986), as far as $id and $ref need them. */
#ifndef JSONSCHEMA_URI_H
#define JSONSCHEMA_URI_H

#include "base/buf.h"

/* The part in front of '#', and the part behind it. *has_fragment may be NULL. */
gramc_text uri_without_fragment(gramc_text uri);
gramc_text uri_fragment(gramc_text uri);
/* Resolves a reference without fragment against an absolute base (RFC 3986, section 5.2). An empty
 * base gives the reference itself. In the arena. */
gramc_text uri_resolve(struct arena *arena, gramc_text base, gramc_text reference);
/* %XX decoded; in the arena unless there is nothing to decode. */
gramc_text uri_decode(struct arena *arena, gramc_text text);
/* Encodes what stands in a buffer behind `from`, so that it may be in a fragment (RFC 6901, section
 * 6): whatever RFC 3986 does not allow there becomes %XX. False if there was nothing to encode. */
bool uri_encode_fragment(struct buf *out, size_t from);

#endif

/* One label of an international host name, as code points. No allocation, any thread. */
#ifndef JSONSCHEMA_FORMATS_IDNA_H
#define JSONSCHEMA_FORMATS_IDNA_H

#include "gramc/gramc.h"

/* May this be a U-label (RFC 5890, section 2.3.2.1), directions aside? */
bool idna_label_is_valid(const uint32_t *label, size_t len);
bool idna_label_runs_right_to_left(const uint32_t *label, size_t len);
/* The Bidi rule, which counts when any label of a name runs right to left. len is not 0. */
bool idna_label_keeps_direction(const uint32_t *label, size_t len);

#endif

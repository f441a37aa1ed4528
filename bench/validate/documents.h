/* Documents as services and programs write them, for gen_cliffs. */
#ifndef BENCH_VALIDATE_DOCUMENTS_H
#define BENCH_VALIDATE_DOCUMENTS_H

#include "bench/validate/workload.h"

struct writer {
    struct random random;
    struct buf schema, instance;
};

/* Each writes the schema, or an instance of it with `count` of what it has many of. */
void write_repository(struct writer *w, unsigned count, bool schema);
void write_metaschema(struct writer *w, unsigned count, bool schema);
void write_openapi(struct writer *w, unsigned count, bool schema);

#endif

/* Whether a folder of cassettes is what it should be, and what is in it: file after file, with what
 * has to agree between them kept in mind. */
#ifndef EXPERIMENT_CASSETTE_AUDIT_H
#define EXPERIMENT_CASSETTE_AUDIT_H

#include "base/map.h"
#include "experiment/cassette_read.h"

enum { AUDIT_MODELS = 16 };

/* What was recorded of an arm. */
struct audit_arm {
    gramc_text name, spec, library; /* fingerprints: of all its cells, or that is a finding */
    uint64_t cells;
    size_t place; /* among the arms, as they first came */
};

struct audit_counts {
    uint64_t files, bytes, cells, answered;
    uint64_t requests, request_bytes; /* the layer of models: lines of both ways */
    uint64_t calls, call_bytes;       /* the layer of tools */
    uint64_t judgings, judge_bytes;   /* the layer of judges: requests, lines */
    uint64_t prompt, completion;      /* tokens */
};

struct cassette_audit {
    struct arena arena; /* of what is kept; texts of files are copied */
    struct audit_counts counts;
    struct audit_arm arms[ARMS_MAX];
    size_t arm_count;
    gramc_text models[AUDIT_MODELS];
    size_t model_count;
    gramc_text first_date, last_date; /* YYYY-MM-DD; empty: no file says one */
    bool has_seed;
    uint64_t seed;
    /* Called for each finding; line 0: of the whole file. */
    void (*finding)(void *ctx, gramc_text file, size_t line, const char *what, gramc_text detail);
    void *ctx;
    uint64_t findings;
};

void cassette_audit_init(struct cassette_audit *audit, const gramc_allocator *allocator);
/* One file. GRAMC_OK also with findings; GRAMC_NOMEM. */
gramc_status cassette_audit_file(struct cassette_audit *audit, gramc_text name, gramc_text bytes);
void cassette_audit_free(struct cassette_audit *audit);

#endif

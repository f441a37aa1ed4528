/* Attributes of spans (span_attributes.c). */
#ifndef RUNTIME_SPAN_ATTRIBUTES_H
#define RUNTIME_SPAN_ATTRIBUTES_H

#include "base/json/writer.h"

/* What is empty is not known, and left out. */
void span_put_text(struct json_writer *w, const char *key, gramc_text value);
void span_put_count(struct json_writer *w, const char *key, uint64_t value);
/* Left out if it is 0. */
void span_put_some_count(struct json_writer *w, const char *key, uint64_t value);
/* A list of that one text. */
void span_put_one_of_many(struct json_writer *w, const char *key, gramc_text value);
/* The name that the conventions have for a provider of ours. */
gramc_text span_provider_name(gramc_text provider);

#endif

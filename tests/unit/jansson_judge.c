/* Asks jansson whether a text is JSON. Apart from test_json.c because both libraries call things by
 * the same names. */
#include <jansson.h>
#include <stdbool.h>

bool jansson_reads(const char *text, size_t len);

bool jansson_reads(const char *text, size_t len) {
    json_error_t error;
    json_t *value = json_loadb(text, len, JSON_DECODE_ANY, &error);
    bool reads = value != NULL;
    json_decref(value);
    return reads;
}

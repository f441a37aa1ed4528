/* The meta-schemas of the five drafts and their vocabularies, for schemas that refer to them. The
 * documents stand in jsonschema/metaschema/ and are compiled in at build time: nothing is ever read
 * from a file or a network for them. */
#include "jsonschema/compile.h"

#include "base/text.h"

struct metaschema {
    gramc_text uri, document;
};

#include "metaschemas.h"

gramc_text metaschema_find(gramc_text uri) {
    for (size_t i = 0; i < sizeof metaschemas / sizeof metaschemas[0]; i++)
        if (text_eq(uri, metaschemas[i].uri)) return metaschemas[i].document;
    return (gramc_text){NULL, 0};
}

/* The formats of texts as regular expressions, each for texts that the format takes: all that
 * people usually write, not all there are. What the format takes is jsonschema/formats.re's to say.
 */
#include "compiler/emit/grammar.h"

#include "base/text.h"

#define DAY_OF "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])"
#define DAY_OF_30 "(0[469]|11)-(0[1-9]|[12][0-9]|30)"
#define FEBRUARY "02-(0[1-9]|1[0-9]|2[0-8])"
#define FOURTH "(0[48]|[2468][048]|[13579][26])"
#define DATE                                                                                       \
    "([0-9]{4}-(" DAY_OF "|" DAY_OF_30 "|" FEBRUARY ")|([0-9]{2}" FOURTH "|(00|" FOURTH            \
    ")00)-02-29)"
#define HOUR "([01][0-9]|2[0-3])"
#define TIME HOUR ":[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]" HOUR ":[0-5][0-9])"
#define OCTET "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
#define LABEL "[a-z0-9]([a-z0-9]{0,20}[a-z0-9])?"
#define HOST LABEL "(\\." LABEL "){0,5}"
#define ATOM "[A-Za-z0-9_+%'~-]{1,20}"
#define HEX "[0-9a-fA-F]"
#define PCHAR "([A-Za-z0-9._~!$&'()*+,;=:@-]|%" HEX "{2})"

static const struct {
    const char *name, *pattern;
    bool all;
} formats[] = {
    {"date", "^" DATE "$", true},
    {"time", "^" TIME "$", false},
    {"date-time", "^" DATE "T" TIME "$", false},
    {"uuid", "^" HEX "{8}-" HEX "{4}-" HEX "{4}-" HEX "{4}-" HEX "{12}$", true},
    {"ipv4", "^(" OCTET "\\.){3}" OCTET "$", true},
    {"hostname", "^" HOST "$", false},
    {"email", "^" ATOM "(\\." ATOM "){0,2}@" HOST "$", false},
    {"idn-email", "^" ATOM "(\\." ATOM "){0,2}@" HOST "$", false},
    {"idn-hostname", "^" HOST "$", false},
    {"uri",
     "^(https?://" HOST "(:[0-9]{1,5})?|urn:[a-z]{2,20}:" PCHAR ")(/" PCHAR "*)*(\\?(" PCHAR
     "|[/?])*)?(#(" PCHAR "|[/?])*)?$",
     false},
    {"duration",
     "^P([0-9]{1,9}W|([0-9]{1,9}D|[0-9]{1,9}M([0-9]{1,9}D)?|[0-9]{1,9}Y([0-9]{1,9}M([0-9]{1,9}D)?)?"
     ")"
     "(T([0-9]{1,9}S|[0-9]{1,9}M([0-9]{1,9}S)?|[0-9]{1,9}H([0-9]{1,9}M([0-9]{1,9}S)?)?))?"
     "|T([0-9]{1,9}S|[0-9]{1,9}M([0-9]{1,9}S)?|[0-9]{1,9}H([0-9]{1,9}M([0-9]{1,9}S)?)?))$",
     false},
    {"json-pointer", "^(/([^~/]|~[01])*)*$", true},
};

const char *grammar_format(gramc_text format, bool *all) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!text_is(format, formats[i].name)) continue;
        *all = formats[i].all;
        return formats[i].pattern;
    }
    return NULL;
}

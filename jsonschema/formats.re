/* Checks the formats of JSON Schema on the text of a string: each grammar is one re2c automaton over
 * well-formed UTF-8, what a grammar cannot say (days of a month, leap seconds) stands beside it.
 * Reads nothing behind the text, allocates nothing. Host names and their Unicode rules are in
 * formats_host.c, patterns in regex_translate.c. */
#include "jsonschema/formats.h"

#include <string.h>

#include "base/text.h"
#include "jsonschema/formats_host.h"
#include "jsonschema/regex.h"

/* What every automaton below reads with. */
#define SCANNER(text)                                                                              \
    const unsigned char *p = (const unsigned char *)((text).ptr ? (text).ptr : "");                \
    const unsigned char *const end = p + (text).len, *marker = p;                                  \
    (void)marker

/*!re2c
    re2c:api = custom;
    re2c:api:style = free-form;
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYPEEK = "(p < end ? *p : 0)";
    re2c:define:YYSKIP = "++p;";
    re2c:define:YYBACKUP = "marker = p;";
    re2c:define:YYRESTORE = "p = marker;";
    re2c:define:YYLESSTHAN = "p >= end";
    re2c:yyfill:enable = 0;
    re2c:eof = 0;

    digit = [0-9];
    hex = [0-9a-fA-F];
    alpha = [a-zA-Z];
    two = digit{2};
    full_date = digit{4} "-" two "-" two;
    full_time = two ":" two ":" two ("." digit+)? ([zZ] | [+-] two ":" two);

    octet = digit | [1-9] digit | "1" two | "2" [0-4] digit | "25" [0-5];
    ipv4 = octet "." octet "." octet "." octet;
*/

/* ## Dates: RFC 3339, section 5.6 */

static int two_digits(const char *p) {
    return (p[0] - '0') * 10 + (p[1] - '0');
}

/* YYYY-MM-DD, the digits being there. */
static bool is_day(const char *p) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = two_digits(p) * 100 + two_digits(p + 2), month = two_digits(p + 5);
    int day = two_digits(p + 8);
    if (month < 1 || month > 12) return false;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return day >= 1 && day <= days[month - 1] + (month == 2 && leap);
}

/* hh:mm:ss and an offset at the end. A leap second is the last one of a day in UTC. */
static bool is_time(gramc_text text) {
    int hour = two_digits(text.ptr), minute = two_digits(text.ptr + 3);
    int second = two_digits(text.ptr + 6), offset = 0;
    const char *sign = text.ptr + text.len - 6;
    if (*sign == '+' || *sign == '-') {
        int hours = two_digits(sign + 1), minutes = two_digits(sign + 4);
        if (hours > 23 || minutes > 59) return false;
        offset = (hours * 60 + minutes) * (*sign == '-' ? -1 : 1);
    }
    if (hour > 23 || minute > 59 || second > 60) return false;
    int utc = (hour * 60 + minute - offset + 2 * 24 * 60) % (24 * 60);
    return second < 60 || utc == 23 * 60 + 59;
}

static bool fits_date(gramc_text text) {
    SCANNER(text);
    /*!re2c
        full_date { return p == end && is_day(text.ptr); }
        * { return false; }
        $ { return false; }
    */
}

static bool fits_time(gramc_text text) {
    SCANNER(text);
    /*!re2c
        full_time { return p == end && is_time(text); }
        * { return false; }
        $ { return false; }
    */
}

static bool fits_date_time(gramc_text text) {
    SCANNER(text);
    /*!re2c
        full_date [tT] full_time {
            return p == end && is_day(text.ptr) && is_time(text_slice(text, 11, text.len));
        }
        * { return false; }
        $ { return false; }
    */
}

/* RFC 3339, appendix A. */
static bool fits_duration(gramc_text text) {
    SCANNER(text);
    /*!re2c
        seconds = digit+ "S";
        minutes = digit+ "M" seconds?;
        hours = digit+ "H" minutes?;
        time = "T" (hours | minutes | seconds);
        days = digit+ "D";
        months = digit+ "M" days?;
        years = digit+ "Y" months?;
        "P" ((days | months | years) time? | time | digit+ "W") { return p == end; }
        * { return false; }
        $ { return false; }
    */
}

/* ## Addresses */

static bool fits_ipv4(gramc_text text) {
    SCANNER(text);
    /*!re2c
        ipv4 { return p == end; }
        * { return false; }
        $ { return false; }
    */
}

/* RFC 3986, section 3.2.2, IPv6address. */
static bool fits_ipv6(gramc_text text) {
    SCANNER(text);
    /*!re2c
        h16 = hex{1,4};
        ls32 = h16 ":" h16 | ipv4;
        ipv6 = (h16 ":"){6} ls32
             | "::" (h16 ":"){5} ls32
             | h16? "::" (h16 ":"){4} ls32
             | ((h16 ":"){0,1} h16)? "::" (h16 ":"){3} ls32
             | ((h16 ":"){0,2} h16)? "::" (h16 ":"){2} ls32
             | ((h16 ":"){0,3} h16)? "::" h16 ":" ls32
             | ((h16 ":"){0,4} h16)? "::" ls32
             | ((h16 ":"){0,5} h16)? "::" h16
             | ((h16 ":"){0,6} h16)? "::";
        ipv6 { return p == end; }
        * { return false; }
        $ { return false; }
    */
}

/* RFC 5321, section 4.1.2, Mailbox; RFC 6531 adds what is not ASCII. Gives the length of the local
 * part with its '@', 0 if it is none. */
static size_t local_part(gramc_text text, bool international) {
    SCANNER(text);
    const unsigned char *start = p;
    if (international) {
        /*!re2c
            beyond = [\x80-\U0010FFFF] \ [\ud800-\udfff\uff20];
            iatext = [a-zA-Z0-9!#$%&'*+/=?^_`{|}~-] | beyond;
            iquoted = [ !#-[\]-~] | beyond | "\\" [ -~];
            iatext+ ("." iatext+)* "@" | ["] iquoted* ["] "@" { return (size_t)(p - start); }
            * { return 0; }
            $ { return 0; }
        */
    }
    /*!re2c
        atext = [a-zA-Z0-9!#$%&'*+/=?^_`{|}~-];
        quoted = [ !#-[\]-~] | "\\" [ -~];
        atext+ ("." atext+)* "@" | ["] quoted* ["] "@" { return (size_t)(p - start); }
        * { return 0; }
        $ { return 0; }
    */
}

static bool is_mail_domain(gramc_text domain, bool international) {
    if (domain.len > 2 && domain.ptr[0] == '[' && domain.ptr[domain.len - 1] == ']') {
        gramc_text inside = text_slice(domain, 1, domain.len - 1);
        if (inside.len > 5 && text_is_nocase(text_slice(inside, 0, 5), "IPv6:"))
            return fits_ipv6(text_slice(inside, 5, inside.len));
        return fits_ipv4(inside);
    }
    return international ? host_is_mail_domain(domain) : host_is_name(domain);
}

static bool is_mail(gramc_text text, bool international) {
    size_t local = local_part(text, international);
    return local > 0 && local <= 65 &&
           is_mail_domain(text_slice(text, local, text.len), international);
}

static bool fits_email(gramc_text text) {
    return is_mail(text, false);
}

static bool fits_idn_email(gramc_text text) {
    return is_mail(text, true);
}

/* ## URIs (RFC 3986, appendix A) and IRIs (RFC 3987, section 2.2). An address in brackets is checked
 * apart; brackets can stand nowhere else. */

static bool has_address(gramc_text text) {
    const char *open = memchr(text.ptr, '[', text.len);
    if (!open) return true;
    const char *close = memchr(open, ']', (size_t)(text.ptr + text.len - open));
    if (!close) return false;
    return (open[1] | 0x20) == 'v' || fits_ipv6((gramc_text){open + 1, (size_t)(close - open - 1)});
}

/*!re2c
    unreserved = [a-zA-Z0-9._~-];
    sub_delims = [!$&'()*+,;=];
    encoded = "%" hex hex;
    literal = "[" ([0-9a-fA-F:.]+ | [vV] hex+ "." (unreserved | sub_delims | ":")+) "]";
    scheme = alpha [a-zA-Z0-9+.-]*;

    pchar = unreserved | encoded | sub_delims | [:@];
    authority = ((unreserved | encoded | sub_delims | ":")* "@")?
                (literal | (unreserved | encoded | sub_delims)*) (":" digit*)?;
    absolute = "//" authority ("/" pchar*)* | "/" (pchar+ ("/" pchar*)*)?;
    rootless = pchar+ ("/" pchar*)*;
    noscheme = (unreserved | encoded | sub_delims | "@")+ ("/" pchar*)*;
    query = "?" (pchar | [/?])*;
    fragment = "#" (pchar | [/?])*;
    tail = query? fragment?;
    uri = scheme ":" (absolute | rootless)? tail;
    relative = (absolute | noscheme) tail | query fragment? | fragment; /* or empty */

    ucs = [\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef]
        | [\U00010000-\U0001fffd\U00020000-\U0002fffd\U00030000-\U0003fffd]
        | [\U00040000-\U0004fffd\U00050000-\U0005fffd\U00060000-\U0006fffd]
        | [\U00070000-\U0007fffd\U00080000-\U0008fffd\U00090000-\U0009fffd]
        | [\U000a0000-\U000afffd\U000b0000-\U000bfffd\U000c0000-\U000cfffd]
        | [\U000d0000-\U000dfffd\U000e1000-\U000efffd];
    private = [\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd];
    iunreserved = unreserved | ucs;
    ipchar = iunreserved | encoded | sub_delims | [:@];
    iauthority = ((iunreserved | encoded | sub_delims | ":")* "@")?
                 (literal | (iunreserved | encoded | sub_delims)*) (":" digit*)?;
    iabsolute = "//" iauthority ("/" ipchar*)* | "/" (ipchar+ ("/" ipchar*)*)?;
    irootless = ipchar+ ("/" ipchar*)*;
    inoscheme = (iunreserved | encoded | sub_delims | "@")+ ("/" ipchar*)*;
    iquery = "?" (ipchar | private | [/?])*;
    ifragment = "#" (ipchar | [/?])*;
    itail = iquery? ifragment?;
    iri = scheme ":" (iabsolute | irootless)? itail;
    irelative = (iabsolute | inoscheme) itail | iquery ifragment? | ifragment;
*/

static bool fits_uri(gramc_text text) {
    SCANNER(text);
    /*!re2c
        uri { return p == end && has_address(text); }
        * { return false; }
        $ { return false; }
    */
}

static bool fits_uri_reference(gramc_text text) {
    SCANNER(text);
    if (p == end) return true;
    /*!re2c
        uri | relative { return p == end && has_address(text); }
        * { return false; }
        $ { return false; }
    */
}

static bool fits_iri(gramc_text text) {
    SCANNER(text);
    /*!re2c
        iri { return p == end && has_address(text); }
        * { return false; }
        $ { return false; }
    */
}

static bool fits_iri_reference(gramc_text text) {
    SCANNER(text);
    if (p == end) return true;
    /*!re2c
        iri | irelative { return p == end && has_address(text); }
        * { return false; }
        $ { return false; }
    */
}

/* RFC 6570, section 2. */
static bool fits_uri_template(gramc_text text) {
    SCANNER(text);
    if (p == end) return true;
    /*!re2c
        varchar = alpha | digit | "_" | encoded;
        varname = varchar ("."? varchar)*;
        varspec = varname (":" [1-9] digit{0,3} | "*")?;
        expression = "{" [+#./;?&=,!@|]? varspec ("," varspec)* "}";
        plain = [!#$&-;=?-[\]_a-z~] | ucs | private | encoded;
        (plain | expression)+ { return p == end; }
        * { return false; }
        $ { return false; }
    */
}

/* ## Pointers (RFC 6901) and identifiers (RFC 9562) */

static bool fits_json_pointer(gramc_text text) {
    SCANNER(text);
    if (p == end) return true;
    /*!re2c
        token = ([^~/] \ [\ud800-\udfff] | "~" [01])*;
        ("/" token)+ { return p == end; }
        * { return false; }
        $ { return false; }
    */
}

/* draft-bhutton-relative-json-pointer-00, section 3. */
static bool fits_relative_json_pointer(gramc_text text) {
    SCANNER(text);
    /*!re2c
        whole = "0" | [1-9] digit*;
        whole ([+-] whole)? ("#" | ("/" token)*) { return p == end; }
        * { return false; }
        $ { return false; }
    */
}

static bool fits_uuid(gramc_text text) {
    SCANNER(text);
    /*!re2c
        hex{8} "-" hex{4} "-" hex{4} "-" hex{4} "-" hex{12} { return p == end; }
        * { return false; }
        $ { return false; }
    */
}

static bool fits_regex(gramc_text text) {
    struct regex_error error;
    return regex_translate(NULL, text, NULL, &error);
}

/* ## The table, sorted by name */

static const struct format formats[] = {
    {"date", fits_date, "a date such as 2024-02-29"},
    {"date-time", fits_date_time, "a date and time such as 2024-02-29T12:30:00Z"},
    {"duration", fits_duration, "a duration such as P3DT12H"},
    {"email", fits_email, "an e-mail address such as ann@example.com"},
    {"hostname", host_is_name, "a host name such as www.example.com"},
    {"idn-email", fits_idn_email, "an e-mail address such as ann@example.com"},
    {"idn-hostname", host_is_international, "a host name such as www.example.com"},
    {"ipv4", fits_ipv4, "an IPv4 address such as 192.0.2.1"},
    {"ipv6", fits_ipv6, "an IPv6 address such as 2001:db8::1"},
    {"iri", fits_iri, "an IRI such as https://example.com/a"},
    {"iri-reference", fits_iri_reference, "an IRI or a part of one such as /a/b"},
    {"json-pointer", fits_json_pointer, "a JSON Pointer such as /items/0"},
    {"regex", fits_regex, "a regular expression such as ^[a-z]+$"},
    {"relative-json-pointer", fits_relative_json_pointer, "a relative JSON Pointer such as 1/name"},
    {"time", fits_time, "a time with an offset such as 12:30:00Z"},
    {"uri", fits_uri, "a URI such as https://example.com/a"},
    {"uri-reference", fits_uri_reference, "a URI or a part of one such as /a/b"},
    {"uri-template", fits_uri_template, "a URI template such as /users/{id}"},
    {"uuid", fits_uuid, "a UUID such as 123e4567-e89b-12d3-a456-426614174000"},
};

const struct format *format_find(gramc_text name) {
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (text_is(name, formats[i].name)) return &formats[i];
    return NULL;
}

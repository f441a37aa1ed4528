/* Host names: letters, digits and hyphens (RFC 1123), and international ones (RFC 5890 to 5893). */
#ifndef JSONSCHEMA_FORMATS_HOST_H
#define JSONSCHEMA_FORMATS_HOST_H

#include "gramc/gramc.h"

/* ASCII only; a label that starts with xn-- must stand for a valid international one. */
bool host_is_name(gramc_text text);
bool host_is_international(gramc_text text);
/* As the domain of an e-mail address (RFC 6531): labels of letters and digits of any script. */
bool host_is_mail_domain(gramc_text text);

#endif

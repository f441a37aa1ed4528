/* Which hosts and addresses the requests of tools may go to. The rules are a text, one host a line,
 * as base/host.h reads them: cheap to copy, and a part of what a server is told apart by. */
#ifndef RUNTIME_NET_EGRESS_H
#define RUNTIME_NET_EGRESS_H

#include "base/host.h"
#include "base/buf.h"

enum { EGRESS_WHY_MAX = 256 };

/* Borrowed. */
struct egress {
    const char *hosts; /* one a line; NULL: nothing is asked of it, everything goes */
    bool only;         /* what they do not name is refused; else they only name what needs it */
};

/* How much a name is needed for an address. */
enum egress_need {
    EGRESS_OPEN,      /* public: none, but where `only` asks for one */
    EGRESS_OF_A_HOST, /* private: the host, by its name or address */
    EGRESS_OF_ITSELF  /* this machine, its link and what is for nobody: the address itself */
};

/* In `what`, if not NULL: what it is called, "a loopback address". IPv4 inside IPv6 (mapped, NAT64,
 * 6to4 and the like) is judged as what it leads to. */
enum egress_need egress_need_of(const unsigned char address[HOST_ADDRESS], const char **what);

/* Whether a host may be asked, as far as its spelling says. False: `why` is half a sentence. */
bool egress_host(const struct egress *rules, gramc_text host, uint16_t port,
                 char why[EGRESS_WHY_MAX]);
/* Whether what it resolved to may be connected to. */
bool egress_address(const struct egress *rules, gramc_text host,
                    const unsigned char address[HOST_ADDRESS], uint16_t port,
                    char why[EGRESS_WHY_MAX]);

/* Adds a line that names that host, as text of a URL, at that port. */
void egress_put(struct buf *hosts, gramc_text host, uint16_t port);

#endif

/* From "ADDRESS:PORT" to a socket that listens there, and back to the address that was given. Knows
 * no requests. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "serve/service.h"

enum { WHY_ROOM = 256, WAITING_CONNECTIONS = 128 };

static bool read_port(gramc_text text, uint16_t *out) {
    uint32_t port = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || i == 5) return false;
        port = port * 10 + (uint32_t)(text.ptr[i] - '0');
    }
    *out = (uint16_t)port;
    return text.len > 0 && port <= UINT16_MAX;
}

/* Numbers alone: what a name means can change between two starts. */
static bool read_address(gramc_text text, struct sockaddr_storage *out, socklen_t *len) {
    char host[INET6_ADDRSTRLEN];
    struct sockaddr_in *four = (struct sockaddr_in *)(void *)out;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)(void *)out;
    size_t colon = text.len;
    while (colon > 0 && text.ptr[colon - 1] != ':') colon--;
    uint16_t port;
    if (!colon || !read_port(text_slice(text, colon, text.len), &port)) return false;
    gramc_text name = text_slice(text, 0, colon - 1);
    bool bracketed = name.len > 2 && name.ptr[0] == '[' && name.ptr[name.len - 1] == ']';
    if (bracketed) name = text_slice(name, 1, name.len - 1);
    if (text_is(name, "localhost")) name = TEXT("127.0.0.1");
    if (name.len >= sizeof(host)) return false;
    memcpy(host, name.ptr, name.len);
    host[name.len] = '\0';
    memset(out, 0, sizeof(*out));
    *len = bracketed ? sizeof(*six) : sizeof(*four);
    if (bracketed) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(port);
        return inet_pton(AF_INET6, host, &six->sin6_addr) == 1;
    }
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    return inet_pton(AF_INET, host, &four->sin_addr) == 1;
}

static bool is_loopback(const struct sockaddr_storage *address) {
    const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)address;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)address;
    if (address->ss_family == AF_INET) return ntohl(four->sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

/* The port is known only now, if it was 0. */
static bool tell_address(struct service *service, int socket) {
    struct sockaddr_storage address;
    socklen_t len = sizeof(address);
    char host[INET6_ADDRSTRLEN], text[ADDRESS_ROOM], port[8];
    if (getsockname(socket, (struct sockaddr *)&address, &len)) return false;
    bool six = address.ss_family == AF_INET6;
    const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)&address;
    const struct sockaddr_in6 *of_six = (const struct sockaddr_in6 *)(const void *)&address;
    const void *number = six ? (const void *)&of_six->sin6_addr : (const void *)&four->sin_addr;
    if (!inet_ntop(address.ss_family, number, host, sizeof(host))) return false;
    snprintf(port, sizeof(port), "%u", (unsigned)ntohs(six ? of_six->sin6_port : four->sin_port));
    snprintf(text, sizeof(text), six ? "http://[%s]:%s" : "http://%s:%s", host, port);
    service->address = arena_text(&service->arena, text_of(text));
    service->port = arena_text(&service->arena, text_of(port));
    return !service->arena.oom;
}

static int bind_socket(const struct sockaddr_storage *address, socklen_t len) {
    int on = 1, fd = socket(address->ss_family, SOCK_STREAM, 0);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (address->ss_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    if (bind(fd, (const struct sockaddr *)address, len) == 0 &&
        listen(fd, WAITING_CONNECTIONS) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

int listen_open(struct service *service, gramc_status *status, char *why) {
    struct sockaddr_storage address;
    socklen_t len;
    gramc_text wanted = service->options.listen;
    *status = GRAMC_USAGE;
    if (!read_address(wanted, &address, &len)) {
        snprintf(why, WHY_ROOM,
                 "`%.*s` is no address; write 127.0.0.1:8080, [::1]:8080 or 0.0.0.0:80",
                 TEXT_ARGS(text_slice(wanted, 0, wanted.len < 100 ? wanted.len : 100)));
        return -1;
    }
    service->is_local = is_loopback(&address);
    if (!service->is_local && service->options.token_count == 0) {
        snprintf(why, WHY_ROOM, "others can reach `%.*s`: a token is needed", TEXT_ARGS(wanted));
        return -1;
    }
    int fd = bind_socket(&address, len);
    *status = fd < 0 ? GRAMC_IO : GRAMC_OK;
    if (fd < 0) uv_strerror_r(uv_translate_sys_error(errno), why, WHY_ROOM);
    if (fd >= 0 && !tell_address(service, fd)) {
        *status = service->arena.oom ? GRAMC_NOMEM : GRAMC_IO;
        close(fd);
        fd = -1;
    }
    return fd;
}

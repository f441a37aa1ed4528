/* The whole of a text to a descriptor, whatever a signal interrupts. For programs: the libraries
 * of the compiler write nothing. False: the rest could not be written, errno says why. */
#ifndef BASE_WRITE_ALL_H
#define BASE_WRITE_ALL_H

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/text.h"

static inline bool write_all(int descriptor, gramc_text bytes) {
    while (bytes.len) {
        ssize_t written = write(descriptor, bytes.ptr, bytes.len);
        if (written < 0 && errno == EINTR) continue;
        if (written == 0) errno = EIO;
        if (written <= 0) return false;
        bytes = text_slice(bytes, (size_t)written, bytes.len);
    }
    return true;
}

#endif

/* Where a file is to be written: an open folder and a name in it, so that nobody can put a link
 * between looking and writing. */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { PLACE_NAME = 256 };

struct place {
    int folder; /* -1: none is open */
    char name[PLACE_NAME];
    bool exists;        /* something that is no link has the name */
    struct stat status; /* of it */
};

enum place_answer {
    PLACE_FOUND,
    PLACE_PLANTED, /* a link on the way belongs to somebody else */
    PLACE_FOREIGN, /* what stands there may be somebody else's */
    PLACE_FAILED   /* errno says why */
};

/* Follows the links of `path`, each of them looked at first: those are followed that belong to
 * whoever runs us, to root, or to the owner of a folder that not everybody may write to.
 * `keeps_dangling`: a last link that leads nowhere is the place itself. */
enum place_answer place_find(struct place *place, const char *path, bool keeps_dangling);
void place_close(struct place *place);

/* True if what stands there may have been put there by somebody else, to be written through. */
bool place_is_doubtful(const struct place *place);

#endif

/* Lines that somebody types, or that a program writes (line.c). */
#ifndef CLI_RUN_LINE_H
#define CLI_RUN_LINE_H

#include "cli/cli.h"

struct line_reader;

/* On a terminal lines are edited, and those of former times can be had again: they are kept in the
 * file `history` (NULL: in none). Elsewhere they are what stands on standard input. NULL after a
 * message. */
struct line_reader *line_open(struct cli *cli, const char *history);
void line_close(struct line_reader *reader);
bool line_is_edited(const struct line_reader *reader);
/* Would lines be edited? */
bool line_would_edit(const struct cli *cli);

enum line_end {
    LINE_READ,
    LINE_OVER,     /* the end of the input, Ctrl-D */
    LINE_GIVEN_UP, /* Ctrl-C: the line is gone */
    LINE_FAILED    /* after a message; the exit code is in cli->failure */
};
/* Without its end; valid until the next one. */
enum line_end line_read(struct line_reader *reader, gramc_text *out);

#endif

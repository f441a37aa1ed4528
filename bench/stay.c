/* A program that stays (docs/tool-programs.md) and answers each request with a 7, to measure the
 * way there and back. */
#include <stdio.h>
#include <string.h>

int main(void) {
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        unsigned long id = 0;
        const char *found = strstr(line, "\"id\":");
        if (!found || sscanf(found, "\"id\":%lu", &id) != 1) return 1;
        printf("{\"id\":%lu,\"result\":7}\n", id);
        fflush(stdout);
    }
    return 0;
}

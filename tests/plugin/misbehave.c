/* A plugin that does what plugins should not. */
#include <gramc/plugin.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

GRAMC_PLUGIN

GRAMC_PLUGIN_TOOL(echo) {
    call->write(call->ctx, call->arguments, call->arguments_len);
    return 0;
}

GRAMC_PLUGIN_TOOL(crash) {
    (void)call;
    signal(SIGSEGV, SIG_DFL); /* where a sanitizer would have its say */
    raise(SIGSEGV);
    return 0;
}

GRAMC_PLUGIN_TOOL(leave) {
    (void)call;
    fputs("enough is enough\n", stderr);
    _exit(3);
}

GRAMC_PLUGIN_TOOL(stop_it) {
    (void)call;
    abort();
}

GRAMC_PLUGIN_TOOL(never) {
    (void)call;
    for (;;) pause();
}

GRAMC_PLUGIN_TOOL(spin) {
    volatile unsigned turns = 0;
    (void)call;
    for (;;) turns++;
}

GRAMC_PLUGIN_TOOL(chatter) {
    char line[100];
    printf("not an answer\n");
    fflush(stdout);
    return gramc_plugin_say(call, fgets(line, sizeof line, stdin) ? "read something" : "fine");
}

GRAMC_PLUGIN_TOOL(fail_silently) {
    gramc_plugin_say(call, "half of it");
    return 7;
}

GRAMC_PLUGIN_TOOL(fail_aloud) {
    gramc_plugin_say(call, "half of it");
    return gramc_plugin_refuse(call, "out of paper");
}

GRAMC_PLUGIN_TOOL(flood) {
    static const char line[1000] = "a thousand bytes";
    for (int i = 0; i < 1000000; i++) call->write(call->ctx, line, sizeof line);
    return 0;
}

GRAMC_PLUGIN_TOOL(count_calls) {
    static int calls = 0;
    char text[20];
    snprintf(text, sizeof text, "%d", ++calls);
    return gramc_plugin_say(call, text);
}

GRAMC_PLUGIN_TOOL(say_pid) {
    char text[20];
    snprintf(text, sizeof text, "%ld", (long)getpid());
    return gramc_plugin_say(call, text);
}

/* Leaves a process in a session of its own, says that it is there, and never returns. */
GRAMC_PLUGIN_TOOL(scatter) {
    const char *ready = getenv("READY");
    (void)call;
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            for (;;) pause();
        FILE *file = ready ? fopen(ready, "w") : NULL;
        if (file) fclose(file);
        _exit(0);
    }
    for (;;) pause();
}

GRAMC_PLUGIN_TOOL(show_variable) {
    const char *secret = getenv("GRAMC_TEST_SECRET"), *greeting = getenv("GREETING");
    gramc_plugin_say(call, secret ? secret : "none");
    return gramc_plugin_say(call, greeting ? greeting : "");
}

GRAMC_PLUGIN_TOOL(take_memory) {
    char *bytes = malloc((size_t)1 << 30);
    if (!bytes) return gramc_plugin_refuse(call, "no memory");
    for (size_t i = 0; i < (size_t)1 << 30; i += 4096) bytes[i] = 1;
    free(bytes);
    return gramc_plugin_say(call, "had it");
}

GRAMC_PLUGIN_TOOL(take_files) {
    int count = 0;
    while (count < 2000 && dup(2) >= 0) count++;
    if (count == 2000) return gramc_plugin_say(call, "had them");
    return gramc_plugin_refuse(call, "no descriptor");
}

/* Into a file: the host has nothing open but the three and copies of its two pipes. */
GRAMC_PLUGIN_TOOL(list_descriptors) {
    DIR *dir = opendir("/proc/self/fd");
    FILE *file = fopen("hosted.fd", "w");
    const struct dirent *entry;
    while (dir && file && (entry = readdir(dir)) != NULL) {
        int descriptor = (int)strtol(entry->d_name, NULL, 10);
        if (entry->d_name[0] != '.' && descriptor != dirfd(dir) && descriptor != fileno(file))
            fprintf(file, "%d\n", descriptor);
    }
    if (file) fclose(file);
    if (dir) closedir(dir);
    return gramc_plugin_say(call, "listed");
}

/* The wall round files, by Landlock (Linux 5.13 on): what is not listed cannot be opened, made,
 * renamed or removed, by whatever path. It does not hide that a file exists, and leaves modes and
 * times of files alone; truncating without opening for writing is seccomp.c's where the kernel has
 * no rule for it (before ABI 3). The numbers are those of linux/landlock.h, which may be older here
 * than the kernel is. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/host/walls.h"

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

enum { ASK_VERSION = 1, RULE_PATH = 1 };

enum {
    MAY_EXECUTE = 1 << 0,
    MAY_WRITE_FILE = 1 << 1,
    MAY_READ_FILE = 1 << 2,
    MAY_READ_FOLDER = 1 << 3,
    ALL_OF_ABI_1 = (1 << 13) - 1,
    MAY_REFER = 1 << 13,    /* ABI 2: link and rename from folder to folder */
    MAY_TRUNCATE = 1 << 14, /* ABI 3 */
    MAY_CONTROL = 1 << 15,  /* ABI 5: ioctl of devices */
    READING = MAY_EXECUTE | MAY_READ_FILE | MAY_READ_FOLDER,
    OF_FILES = MAY_EXECUTE | MAY_WRITE_FILE | MAY_READ_FILE | MAY_TRUNCATE | MAY_CONTROL
};

/* ABI 6 */
enum { NO_ABSTRACT_SOCKETS = 1 << 0, NO_SIGNALS = 1 << 1 };

struct ruleset {
    uint64_t files, network, scoped;
};

struct path_rule {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

/* What programs need to start and to find out where they are. /etc as a whole has keys and
 * passwords in it. */
static const char *const system_places[] = {"/usr",
                                            "/bin",
                                            "/sbin",
                                            "/lib",
                                            "/lib32",
                                            "/lib64",
                                            "/libx32",
                                            "/opt",
                                            "/nix/store",
                                            "/proc",
                                            "/sys",
                                            "/dev/null",
                                            "/dev/zero",
                                            "/dev/full",
                                            "/dev/random",
                                            "/dev/urandom",
                                            "/etc/alternatives",
                                            "/etc/bash.bashrc",
                                            "/etc/ca-certificates",
                                            "/etc/ca-certificates.conf",
                                            "/etc/debian_version",
                                            "/etc/environment",
                                            "/etc/fonts",
                                            "/etc/gai.conf",
                                            "/etc/group",
                                            "/etc/host.conf",
                                            "/etc/hostname",
                                            "/etc/hosts",
                                            "/etc/inputrc",
                                            "/etc/java",
                                            "/etc/ld.so.cache",
                                            "/etc/ld.so.conf",
                                            "/etc/ld.so.conf.d",
                                            "/etc/ld.so.preload",
                                            "/etc/locale.alias",
                                            "/etc/localtime",
                                            "/etc/magic",
                                            "/etc/mime.types",
                                            "/etc/nsswitch.conf",
                                            "/etc/os-release",
                                            "/etc/passwd",
                                            "/etc/pki",
                                            "/etc/profile",
                                            "/etc/profile.d",
                                            "/etc/protocols",
                                            "/etc/python3",
                                            "/etc/resolv.conf",
                                            "/etc/services",
                                            "/etc/ssl/certs",
                                            "/etc/ssl/openssl.cnf",
                                            "/etc/terminfo",
                                            "/etc/timezone"};
static const char *const system_sinks[] = {"/dev/null", "/dev/full"};

int landlock_abi(void) {
    long abi = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, ASK_VERSION);
    return abi > 0 ? (int)abi : 0;
}

static uint64_t handled(int abi) {
    uint64_t all = ALL_OF_ABI_1;
    if (abi >= 2) all |= MAY_REFER;
    if (abi >= 3) all |= MAY_TRUNCATE;
    if (abi >= 5) all |= MAY_CONTROL;
    return all;
}

static int make_ruleset(const struct host_walls *walls) {
    struct ruleset rules = {.files = handled(walls->landlock_abi)};
    bool is_scoped = walls->landlock_abi >= 6;
    size_t size = is_scoped ? sizeof rules : sizeof rules.files;
    if (is_scoped) rules.scoped = NO_SIGNALS;
    if (is_scoped && walls->network != HOST_NETWORK_OPEN) rules.scoped |= NO_ABSTRACT_SOCKETS;
    return (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
}

/* What is not there needs no rule, and what the user may not look at stays closed. */
static bool allow(int ruleset, const char *path, uint64_t rights) {
    struct stat is;
    struct path_rule rule = {.allowed = rights, .parent = open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent < 0) return true;
    if (fstat(rule.parent, &is) == 0 && !S_ISDIR(is.st_mode)) rule.allowed &= OF_FILES;
    bool good = !syscall(SYS_landlock_add_rule, ruleset, RULE_PATH, &rule, 0);
    int why = errno;
    close(rule.parent);
    errno = why;
    return good;
}

static bool allow_system(int ruleset, uint64_t all) {
    bool good = true;
    for (size_t i = 0; good && i < sizeof system_places / sizeof *system_places; i++)
        good = allow(ruleset, system_places[i], READING);
    for (size_t i = 0; good && i < sizeof system_sinks / sizeof *system_sinks; i++)
        good = allow(ruleset, system_sinks[i], all & ~(uint64_t)MAY_CONTROL);
    return good;
}

static bool allow_places(int ruleset, const struct host_places *places, uint64_t all) {
    for (int i = 0; i + 1 < places->count; i++) {
        bool writes = strcmp(places->words[i], "--write") == 0;
        if (!writes && strcmp(places->words[i], "--read") != 0) continue;
        if (!allow(ruleset, places->words[++i], writes ? all : READING)) return false;
    }
    return true;
}

bool landlock_enclose(const struct host_walls *walls, const char *scratch) {
    uint64_t all = handled(walls->landlock_abi);
    if (walls->landlock_abi < 1) {
        errno = ENOSYS;
        return false;
    }
    int ruleset = make_ruleset(walls);
    bool good = ruleset >= 0 && allow_system(ruleset, all) &&
                allow_places(ruleset, &walls->places, all) && allow(ruleset, scratch, all) &&
                !syscall(SYS_landlock_restrict_self, ruleset, 0);
    int why = errno;
    if (ruleset >= 0) close(ruleset);
    errno = why;
    return good;
}

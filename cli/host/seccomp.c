/* The wall round system calls, by seccomp: a program of the kernel's own small machine, made of the
 * table below, looks at each call's number and plain arguments. It closes what Landlock has no rule
 * for: sockets, the memory of others, namespaces, and truncating where the kernel is older. What it
 * refuses fails with an ordinary error; only calls of another processor's numbering end the
 * program, since they would pass the table by. Pointers cannot be followed from here. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/host/walls.h"

#if defined(__x86_64__)
#define OWN_NUMBERING AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_NUMBERING AUDIT_ARCH_AARCH64
#endif

enum { OTHER_NUMBERING_BIT = 0x40000000 /* x32 */, FILTER_MAX = 400 };

#ifdef OWN_NUMBERING

/* ## The table */

enum test {
    ALWAYS,
    IF_EQUAL,         /* the argument is the value */
    IF_NOT_EQUAL,     /* it is not */
    IF_ANY_BIT,       /* it has one of the value's bits */
    IF_ALSO_TRUNCATES /* flags of open: O_TRUNC, and not for writing */
};

enum whom {
    FOR_ALL,
    FOR_NO_NETWORK,
    FOR_HOSTS,
    FOR_WALLED_NETWORK, /* both */
    FOR_OLD_LANDLOCK    /* before ABI 3 */
};

struct call_refusal {
    long number;
    uint8_t test, argument;
    uint8_t whom;
    uint8_t error;
    uint32_t value;
};

enum {
    NEW_NAMESPACES =
        0x7E020000, /* CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET */
    SET_ID_BITS = 06000,
    SOCKET_TYPE_MASK = 0xF
};

#define NEVER(name, error_)                                                                        \
    { SYS_##name, ALWAYS, 0, FOR_ALL, (error_), 0 }
#define WALLED(name)                                                                               \
    { SYS_##name, ALWAYS, 0, FOR_NO_NETWORK, EACCES, 0 }

static const struct call_refusal refusals[] = {
    /* Other processes, of the same user too. */
    NEVER(ptrace, EPERM),
    NEVER(process_vm_readv, EPERM),
    NEVER(process_vm_writev, EPERM),
    NEVER(kcmp, EPERM),
    NEVER(perf_event_open, EPERM),
#ifdef SYS_pidfd_getfd
    NEVER(pidfd_getfd, EPERM),
#endif
#ifdef SYS_process_madvise
    NEVER(process_madvise, EPERM),
#endif
    {SYS_prlimit64, IF_NOT_EQUAL, 0, FOR_ALL, EPERM, 0},
    NEVER(migrate_pages, EPERM),
    NEVER(move_pages, EPERM),
    /* What is shared by the user's processes without a file. */
    NEVER(shmget, EPERM),
    NEVER(shmat, EPERM),
    NEVER(semget, EPERM),
    NEVER(msgget, EPERM),
    NEVER(mq_open, EPERM),
    NEVER(add_key, EPERM),
    NEVER(request_key, EPERM),
    NEVER(keyctl, EPERM),
    /* Ways round the walls. clone3 has its flags behind a pointer: libraries take clone instead. */
    {SYS_clone, IF_ANY_BIT, 0, FOR_ALL, EPERM, NEW_NAMESPACES},
#ifdef SYS_clone3
    NEVER(clone3, ENOSYS),
#endif
    NEVER(unshare, EPERM),
    NEVER(setns, EPERM),
    NEVER(mount, EPERM),
    NEVER(umount2, EPERM),
    NEVER(pivot_root, EPERM),
    NEVER(chroot, EPERM),
    NEVER(open_by_handle_at, EPERM),
#ifdef SYS_open_tree
    NEVER(open_tree, EPERM),
    NEVER(move_mount, EPERM),
    NEVER(fsopen, EPERM),
    NEVER(fsconfig, EPERM),
    NEVER(fsmount, EPERM),
    NEVER(fspick, EPERM),
#endif
#ifdef SYS_mount_setattr
    NEVER(mount_setattr, EPERM),
#endif
#ifdef SYS_io_uring_setup
    NEVER(io_uring_setup, ENOSYS),
    NEVER(io_uring_enter, ENOSYS),
    NEVER(io_uring_register, ENOSYS),
#endif
    /* What few programs need, and many break-ins. */
    NEVER(bpf, EPERM),
    NEVER(userfaultfd, EPERM),
    NEVER(personality, EPERM),
    NEVER(kexec_load, EPERM),
    NEVER(init_module, EPERM),
    NEVER(finit_module, EPERM),
    NEVER(delete_module, EPERM),
    NEVER(reboot, EPERM),
    NEVER(swapon, EPERM),
    NEVER(swapoff, EPERM),
    NEVER(acct, EPERM),
    NEVER(quotactl, EPERM),
    NEVER(settimeofday, EPERM),
    NEVER(clock_settime, EPERM),
    NEVER(adjtimex, EPERM),
    NEVER(clock_adjtime, EPERM),
    {SYS_fchmod, IF_ANY_BIT, 1, FOR_ALL, EPERM, SET_ID_BITS},
    {SYS_fchmodat, IF_ANY_BIT, 2, FOR_ALL, EPERM, SET_ID_BITS},
#ifdef SYS_chmod
    {SYS_chmod, IF_ANY_BIT, 1, FOR_ALL, EPERM, SET_ID_BITS},
#endif
    /* Owners and attributes of files, which Landlock leaves alone. */
    NEVER(fchown, EPERM),
    NEVER(fchownat, EPERM),
    NEVER(setxattr, ENOTSUP),
    NEVER(lsetxattr, ENOTSUP),
    NEVER(fsetxattr, ENOTSUP),
    NEVER(removexattr, ENOTSUP),
    NEVER(lremovexattr, ENOTSUP),
    NEVER(fremovexattr, ENOTSUP),
#ifdef SYS_chown
    NEVER(chown, EPERM),
    NEVER(lchown, EPERM),
#endif
    /* Truncating without a right to write. */
    {SYS_truncate, ALWAYS, 0, FOR_OLD_LANDLOCK, EACCES, 0},
    {SYS_openat, IF_ALSO_TRUNCATES, 2, FOR_OLD_LANDLOCK, EACCES, 0},
#ifdef SYS_open
    {SYS_open, IF_ALSO_TRUNCATES, 1, FOR_OLD_LANDLOCK, EACCES, 0},
#endif
#ifdef SYS_openat2
    {SYS_openat2, ALWAYS, 0, FOR_OLD_LANDLOCK, ENOSYS, 0},
#endif
    /* Sockets. A pair that takes datagrams could be sent to anybody. */
    WALLED(socket),
    WALLED(connect),
    WALLED(bind),
    WALLED(listen),
    {SYS_socketpair, IF_EQUAL, 1, FOR_WALLED_NETWORK, EACCES, SOCK_DGRAM},
};

/* Of hosts: what is no AF_INET and no AF_INET6 is refused. */
static const uint32_t families[] = {AF_INET, AF_INET6};

/* ## The filter */

struct filter {
    struct sock_filter steps[FILTER_MAX];
    unsigned short count;
};

static void add(struct filter *filter, unsigned code, uint32_t k, unsigned yes, unsigned no) {
    if (filter->count < FILTER_MAX)
        filter->steps[filter->count++] = (struct sock_filter){
            .code = (uint16_t)code, .jt = (uint8_t)yes, .jf = (uint8_t)no, .k = k};
}

static void load(struct filter *filter, size_t offset) {
    add(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void load_number(struct filter *filter) {
    load(filter, offsetof(struct seccomp_data, nr));
}

/* The lower half: both processors are little-endian, and all that is compared is an int. */
static void load_argument(struct filter *filter, unsigned which) {
    load(filter, offsetof(struct seccomp_data, args) + 8 * which);
}

static void answer(struct filter *filter, uint32_t what) {
    add(filter, BPF_RET | BPF_K, what, 0, 0);
}

static void refuse(struct filter *filter, uint32_t error) {
    answer(filter, SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA));
}

/* Leaves the number where it was: what follows compares it again. Each begins with a test of the
 * number that passes over the rest. */
static void add_refusal(struct filter *filter, const struct call_refusal *one) {
    const unsigned lengths[] = {[ALWAYS] = 1,
                                [IF_EQUAL] = 5,
                                [IF_NOT_EQUAL] = 4,
                                [IF_ANY_BIT] = 4,
                                [IF_ALSO_TRUNCATES] = 7};
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)one->number, 0, lengths[one->test]);
    if (one->test != ALWAYS) load_argument(filter, one->argument);
    switch ((enum test)one->test) {
    case ALWAYS: break;
    case IF_EQUAL:
        add(filter, BPF_ALU | BPF_AND | BPF_K, SOCKET_TYPE_MASK, 0, 0);
        add(filter, BPF_JMP | BPF_JEQ | BPF_K, one->value, 0, 1);
        break;
    case IF_NOT_EQUAL: add(filter, BPF_JMP | BPF_JEQ | BPF_K, one->value, 1, 0); break;
    case IF_ANY_BIT: add(filter, BPF_JMP | BPF_JSET | BPF_K, one->value, 0, 1); break;
    case IF_ALSO_TRUNCATES:
        add(filter, BPF_JMP | BPF_JSET | BPF_K, O_TRUNC, 0, 4);
        add(filter, BPF_ALU | BPF_AND | BPF_K, O_ACCMODE, 0, 0);
        add(filter, BPF_JMP | BPF_JEQ | BPF_K, O_WRONLY, 2, 0);
        add(filter, BPF_JMP | BPF_JEQ | BPF_K, O_RDWR, 1, 0);
        break;
    }
    refuse(filter, one->error);
    if (one->test != ALWAYS) load_number(filter);
}

static void add_families(struct filter *filter) {
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 5);
    load_argument(filter, 0);
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, families[0], 2, 0);
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, families[1], 1, 0);
    refuse(filter, EACCES);
    load_number(filter);
}

static bool concerns(enum whom whom, const struct host_walls *walls) {
    switch (whom) {
    case FOR_ALL: return true;
    case FOR_NO_NETWORK: return walls->network == HOST_NETWORK_NONE;
    case FOR_HOSTS: return walls->network == HOST_NETWORK_HOSTS;
    case FOR_WALLED_NETWORK: return walls->network != HOST_NETWORK_OPEN;
    case FOR_OLD_LANDLOCK: return walls->landlock_abi < 3;
    }
    return true;
}

static void make(struct filter *filter, const struct host_walls *walls) {
    load(filter, offsetof(struct seccomp_data, arch));
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, OWN_NUMBERING, 1, 0);
    answer(filter, SECCOMP_RET_KILL_PROCESS);
    load_number(filter);
    add(filter, BPF_JMP | BPF_JGE | BPF_K, OTHER_NUMBERING_BIT, 0, 1);
    answer(filter, SECCOMP_RET_KILL_PROCESS);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (concerns((enum whom)refusals[i].whom, walls)) add_refusal(filter, &refusals[i]);
    if (concerns(FOR_HOSTS, walls)) add_families(filter);
    answer(filter, SECCOMP_RET_ALLOW);
}

bool seccomp_enclose(const struct host_walls *walls) {
    struct filter filter = {.count = 0};
    make(&filter, walls);
    const struct sock_fprog program = {.len = filter.count, .filter = filter.steps};
    if (filter.count == FILTER_MAX) {
        errno = E2BIG;
        return false;
    }
    return !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

#else

bool seccomp_enclose(const struct host_walls *walls) {
    (void)walls;
    errno = ENOSYS; /* nobody has written down how this processor numbers its calls */
    return false;
}

#endif

/* Starts a program and stays its parent: whatever the program starts, in whatever session, becomes
 * a child of this process when its own parent ends, so that all of it can be found and killed. That
 * happens when the supervisor's socket ends, which the kernel sees to even where gramc is killed.
 * What the end of the program means is gramc's to say. */
#define _GNU_SOURCE
#include "cli/host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sanitized.h"
#include "runtime/process/report.h"

enum { EXIT_CANNOT_START = 127, CHUNK = 4096 };

struct supervisor {
    const struct host_work *work;
    pid_t self, parent, program;
    int signals; /* signalfd */
    sigset_t mask_before;
    bool has_ended;             /* the program, and its end is told */
    char scratch[SCRATCH_ROOM]; /* of a sandboxed program */
};

/* ## Telling */

static void tell_of(enum report_kind kind, int value, int wall) {
    const struct host_report report = {.kind = (int32_t)kind, .value = value, .wall = wall};
    (void)send(SUPERVISOR_SOCKET, &report, sizeof report, MSG_NOSIGNAL);
}

static void tell(enum report_kind kind, int value) {
    tell_of(kind, value, 0);
}

static uint64_t seconds_of(const struct rusage *usage) {
    return (uint64_t)usage->ru_utime.tv_sec + (uint64_t)usage->ru_stime.tv_sec +
           (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1000000;
}

/* The hard limit kills without a name; what it was is known by the time that was used. */
static int signal_of(const struct supervisor *supervisor, int status, const struct rusage *usage) {
    uint64_t most = supervisor->work->most[HOST_LIMIT_CPU];
    bool is_limit = WTERMSIG(status) == SIGKILL && most && seconds_of(usage) >= most;
    return is_limit ? SIGXCPU : WTERMSIG(status);
}

static void tell_end(struct supervisor *supervisor, int status, const struct rusage *usage) {
    supervisor->has_ended = true;
    if (WIFEXITED(status)) tell(REPORT_EXITED, WEXITSTATUS(status));
    else tell(REPORT_SIGNALED, signal_of(supervisor, status, usage));
}

/* ## Children, our own and those that were left to us */

/* One that has ended; 0: none has, -1: there are no children. */
static pid_t reap(struct supervisor *supervisor, int options) {
    struct rusage usage;
    int status;
    pid_t pid;
    do pid = wait4(-1, &status, options, &usage);
    while (pid < 0 && errno == EINTR);
    if (pid > 0 && pid == supervisor->program && !supervisor->has_ended)
        tell_end(supervisor, status, &usage);
    return pid;
}

/* Numbers that are cut by the end of what was read go on with the next bytes. */
static void kill_listed(const char *bytes, size_t len, pid_t *pid) {
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] >= '0' && bytes[i] <= '9') {
            *pid = *pid * 10 + (bytes[i] - '0');
            continue;
        }
        if (*pid > 1) kill(*pid, SIGKILL);
        *pid = 0;
    }
}

/* False: there is no list of children to be had. */
static bool kill_children(void) {
    char bytes[CHUNK];
    pid_t pid = 0;
    ssize_t got;
    int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (list < 0) return false;
    while ((got = read(list, bytes, sizeof bytes)) > 0) kill_listed(bytes, (size_t)got, &pid);
    kill_listed(" ", 1, &pid);
    close(list);
    return got == 0;
}

/* Who is killed leaves its children to us before its own end is seen here, so that no round misses
 * any: the last of them is gone when nobody is left to wait for. */
static void end_all(struct supervisor *supervisor) {
    bool lists = true;
    if (!supervisor->has_ended) kill(-supervisor->program, SIGKILL);
    do {
        lists = kill_children();
        while (reap(supervisor, WNOHANG) > 0) {
        }
    } while (lists && reap(supervisor, 0) > 0);
}

/* ## Starting */

static void close_others(void) {
    if (close_range(SUPERVISOR_SOCKET + 1, ~0U, 0) == 0) return;
    long most = sysconf(_SC_OPEN_MAX); /* the kernel is older than 5.9 */
    for (int fd = SUPERVISOR_SOCKET + 1; fd < most; fd++) close(fd);
}

bool host_renounce(void) {
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* No descriptor of gramc's, no core file, and no right that gramc does not have. With the end of
 * gramc comes SIGCONT, since a program may have stopped this process. */
static bool become_supervisor(struct supervisor *supervisor) {
    const struct rlimit no_core = {0, 0};
    sigset_t all, wanted;
#ifndef SANITIZED /* the search for leaks reads the process like a debugger */
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
    supervisor->self = getpid();
    supervisor->parent = getppid();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &supervisor->mask_before);
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGCHLD);
    sigaddset(&wanted, SIGTERM);
    sigaddset(&wanted, SIGCONT);
    close_others();
    supervisor->signals = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    return supervisor->signals >= 0 && !fcntl(SUPERVISOR_SOCKET, F_SETFD, FD_CLOEXEC) &&
           !prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0) && getppid() == supervisor->parent &&
           !prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) && host_renounce() &&
           !setrlimit(RLIMIT_CORE, &no_core);
}

/* In the new process; its parent may be gone before it can ask to end with it. */
static int do_work(const struct supervisor *supervisor) {
    const struct host_work *work = supervisor->work;
    int wall;
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != supervisor->self) return EXIT_CANNOT_START;
    sigprocmask(SIG_SETMASK, &supervisor->mask_before, NULL);
    if (!host_set_limits(work)) {
        tell(REPORT_NOT_LIMITED, errno);
        return EXIT_CANNOT_START;
    }
    if (work->walls.is_set && !walls_build(&work->walls, supervisor->scratch, &wall)) {
        tell_of(REPORT_NOT_CONTAINED, errno, wall);
        return EXIT_CANNOT_START;
    }
    if (work->is_plugin) {
        close(SUPERVISOR_SOCKET);
        close(supervisor->signals);
        return host_serve(work->argv[0], work->most[HOST_LIMIT_CPU]);
    }
    execvp(work->argv[0], work->argv);
    tell(REPORT_NOT_STARTED, errno);
    return EXIT_CANNOT_START;
}

/* ## While it runs */

static void ask_to_end(const struct supervisor *supervisor) {
    if (!supervisor->has_ended) kill(-supervisor->program, SIGTERM);
}

/* False: gramc is gone. Its thread may end before it does, and that means nothing. */
static bool take_signals(struct supervisor *supervisor) {
    struct signalfd_siginfo info;
    while (read(supervisor->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGCONT && getppid() != supervisor->parent) return false;
        if (info.ssi_signo == SIGTERM) ask_to_end(supervisor);
    }
    while (reap(supervisor, WNOHANG) > 0) {
    }
    return true;
}

/* Until gramc is done with the program, or gone. It never writes to the socket. */
static void watch(struct supervisor *supervisor) {
    struct pollfd polled[] = {{.fd = SUPERVISOR_SOCKET, .events = POLLIN},
                              {.fd = supervisor->signals, .events = POLLIN}};
    for (;;) {
        int ready = poll(polled, 2, -1);
        if (ready < 0 && errno != EINTR) return;
        if (ready <= 0) continue;
        if (polled[1].revents && !take_signals(supervisor)) return;
        if (polled[0].revents) return;
    }
}

/* The pipes are the program's alone, or gramc would not see it close them. */
static void leave_pipes(void) {
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
}

bool host_has_socket(void) {
    struct stat is;
    return fstat(SUPERVISOR_SOCKET, &is) == 0 && S_ISSOCK(is.st_mode);
}

#ifdef SANITIZED
/* A search for leaks stops the process by SIGSTOP, and waits for ever where gramc lets go of the
 * program meanwhile: the SIGCONT that comes with it takes the other signal away. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) {
    return 1;
}
#endif

int host_supervise(const struct host_work *work) {
    struct supervisor supervisor = {.work = work};
    if (!become_supervisor(&supervisor)) {
        tell(REPORT_NOT_STARTED, errno);
        return EXIT_CANNOT_START;
    }
    if (work->walls.is_set && !scratch_make(supervisor.scratch)) {
        tell_of(REPORT_NOT_CONTAINED, errno, WALL_SCRATCH);
        return EXIT_CANNOT_START;
    }
    supervisor.program = fork();
    if (supervisor.program == 0) exit(do_work(&supervisor));
    leave_pipes();
    if (supervisor.program < 0) tell(REPORT_NOT_STARTED, errno);
    else {
        watch(&supervisor);
        end_all(&supervisor);
    }
    if (work->walls.is_set) scratch_remove(supervisor.scratch);
    return supervisor.program < 0 ? EXIT_CANNOT_START : 0;
}

#ifndef SATCHEL_CSYSTEM_GUARD_H
#define SATCHEL_CSYSTEM_GUARD_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * A program under a guard, a process of ours that stands between us and the program:
 *
 *     satchel --- guard --- program --- what it starts
 *        |          |
 *        +-lifeline-+
 *
 * When the program ends, or our end of the lifeline is closed, the guard ends the program, its group,
 * and what has left the group and fell to the guard as an orphan, and then itself, as the program
 * ended. The kernel closes the lifeline of a process that is gone, however it went: so nothing
 * outlives a satchel that was killed. A guard that is killed takes the program along.
 * SIGTERM to the guard is passed on to the program's group.
 *
 * Between fork and exec only what a handler of signals may do is done.
 */
struct satchel_launch {
    const char *program;
    char *const *arguments;
    char *const *environment;
    /* Where it runs; NULL for the folder this process is in. */
    const char *directory;
    /* Its three streams; each 3 or higher. */
    int input, output, errors;
    /* What left the program's group, such as an agent, may stay when the program has ended. */
    int spares_daemons;
};

static inline void satchel_default_signals(void) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    /* SIGKILL and SIGSTOP refuse, which is as well. */
    for (int number = 1; number < _NSIG; number++) sigaction(number, &action, NULL);
}

/* Becomes the program; comes back only where it cannot, with an errno value. */
__attribute__((noinline)) static int satchel_become(const struct satchel_launch *launch,
                                                    pid_t guard) {
    sigset_t none;
    setpgid(0, 0);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return errno;
    if (getppid() != guard) return ECHILD;
    if (dup2(launch->input, 0) < 0 || dup2(launch->output, 1) < 0 ||
        dup2(launch->errors, 2) < 0)
        return errno;
    if (launch->directory != NULL && chdir(launch->directory) != 0) return errno;
    closefrom(3);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* Another fork, of whatever process, may still hold a file open that was just written. */
    for (int round = 0; round < 100; round++) {
        execve(launch->program, launch->arguments, launch->environment);
        if (errno != ETXTBSY) break;
        poll(NULL, 0, 10);
    }
    return errno;
}

/* Closes every descriptor from 3 on but the five given, at once: others wait for their end. */
static inline void satchel_close_others(const int *kept) {
    unsigned from = 3;
    while (1) {
        unsigned next = ~0U;
        for (int index = 0; index < 5; index++)
            if (kept[index] >= (int)from && (unsigned)kept[index] < next)
                next = (unsigned)kept[index];
        /* Where the kernel does not know the call, they are closed a moment later. */
        if (next > from) syscall(SYS_close_range, from, next == ~0U ? next : next - 1, 0);
        if (next == ~0U) return;
        from = next + 1;
    }
}

/* Kills each child of this process; what they leave behind becomes a child in turn. */
static inline void satchel_kill_children(void) {
    char text[4096];
    int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    ssize_t count = read(file, text, sizeof text);
    close(file);
    pid_t child = 0;
    for (ssize_t index = 0; index < count; index++) {
        if (text[index] >= '0' && text[index] <= '9') {
            child = child * 10 + (text[index] - '0');
        } else {
            if (child > 1) kill(child, SIGKILL);
            child = 0;
        }
    }
}

/*
 * Ends the program, which is not collected yet, and everything with it; how the program ended.
 * Two seconds at most: what a kernel holds fast, or belongs to another user, nobody here can end.
 */
static inline int satchel_end_all(pid_t program, int signals) {
    int result = SIGKILL;
    for (int round = 0; round < 400; round++) {
        struct signalfd_siginfo info;
        struct pollfd watched = {.fd = signals, .events = POLLIN};
        int status = 0;
        pid_t ended = 0;
        if (program > 0) {
            kill(-program, SIGKILL);
            kill(program, SIGKILL);
        }
        satchel_kill_children();
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
            if (ended != program) continue;
            result = status;
            program = 0;
        }
        if (ended < 0 && errno == ECHILD) break;
        poll(&watched, 1, 5);
        while (read(signals, &info, sizeof info) == (ssize_t)sizeof info) {}
    }
    return result;
}

/* Waits until the program ends or the lifeline does; collects orphans meanwhile. */
static inline void satchel_keep_watch(pid_t program, int lifeline, int signals) {
    while (1) {
        struct signalfd_siginfo info;
        struct pollfd watched[2] = {{.fd = lifeline, .events = POLLIN},
                                    {.fd = signals, .events = POLLIN}};
        siginfo_t ended = {.si_pid = 0};
        /* Looked at only: the group's number stays the program's until that is collected. */
        while (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0) {
            if (ended.si_pid == program) return;
            waitpid(ended.si_pid, NULL, 0);
            ended.si_pid = 0;
        }
        poll(watched, 2, -1);
        if (watched[0].revents != 0) return;
        while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
            if (info.ssi_signo == SIGTERM) kill(-program, SIGTERM);
    }
}

/* The guard's life; every signal is blocked in it. */
__attribute__((noinline, noreturn)) static void satchel_guard(
    const struct satchel_launch *launch, int lifeline, int report) {
    volatile int failure = 0;
    sigset_t heard;
    const int kept[5] = {launch->input, launch->output, launch->errors, lifeline, report};
    satchel_close_others(kept);
    satchel_default_signals();
    /* A group of its own: what is sent to ours is not for it. */
    setpgid(0, 0);
    prctl(PR_SET_NAME, "satchel-guard");
    if (!launch->spares_daemons) prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigemptyset(&heard);
    sigaddset(&heard, SIGCHLD);
    sigaddset(&heard, SIGTERM);
    int signals = signalfd(-1, &heard, SFD_NONBLOCK | SFD_CLOEXEC);
    if (signals < 0) failure = errno;
    pid_t guard = getpid();
    pid_t program = signals < 0 ? -1 : vfork();
    if (program == 0) {
        failure = satchel_become(launch, guard);
        _exit(127);
    }
    if (program < 0 && failure == 0) failure = errno;
    int told = failure;
    if (write(report, &told, sizeof told) < 0) { /* Nobody asks any more: the lifeline tells. */ }
    if (told != 0) _exit(127);
    /* Nothing of ours stays open but these two. */
    dup2(lifeline, 0);
    dup2(signals, 1);
    closefrom(2);
    satchel_keep_watch(program, 0, 1);
    int status = satchel_end_all(program, 1);
    if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
    /* As the program ended; its core is enough. */
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    sigset_t all;
    sigemptyset(&all);
    kill(getpid(), WTERMSIG(status));
    sigprocmask(SIG_SETMASK, &all, NULL);
    _exit(128 + WTERMSIG(status));
}

/*
 * Starts a program under a guard, as the leader of its own group, with the three descriptors given,
 * every other one closed, default handlers and nothing blocked. `lifeline` is the reading end of a
 * pipe whose writing end only we hold. Returns an errno value, 0 for success.
 */
static inline int satchel_spawn_guarded(pid_t *guard, const struct satchel_launch *launch,
                                        int lifeline) {
    int report[2], failure = 0;
    sigset_t all, before;
    struct sigaction action;
    /* Who started us may have it ignored: then nobody would learn how a child ended. */
    if (sigaction(SIGCHLD, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
        signal(SIGCHLD, SIG_DFL);
    if (satchel_pipe(report) != 0) return errno;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child == 0) satchel_guard(launch, lifeline, report[1]);
    if (child < 0) failure = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(report[1]);
    if (child > 0) {
        ssize_t got;
        do got = read(report[0], &failure, sizeof failure);
        while (got < 0 && errno == EINTR);
        /* It ended before it could tell: killed, maybe by the program, which is as quick. The one who
           waits for it learns how. */
        if (got != (ssize_t)sizeof failure) failure = 0;
        if (failure != 0) while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    close(report[0]);
    *guard = child;
    return failure;
}

#endif

#ifndef SATCHEL_CSYSTEM_SHIM_H
#define SATCHEL_CSYSTEM_SHIM_H

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "keys.h"

/* Swift 6 refuses the mutable globals themselves. */
extern char **environ;
static inline char **satchel_environ(void) { return environ; }

/* The wait status macros are functions of C only. */
static inline int satchel_exited(int status) { return WIFEXITED(status); }
static inline int satchel_exit_code(int status) { return WEXITSTATUS(status); }
static inline int satchel_signalled(int status) { return WIFSIGNALED(status); }
static inline int satchel_signal_number(int status) { return WTERMSIG(status); }

/*
 * What glibc declares under _GNU_SOURCE only; defining that here would make types that differ from
 * the Glibc module's.
 */
static inline int satchel_pipe(int *ends) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }
static inline int satchel_grow_pipe(int fd, int bytes) { return fcntl(fd, 1031, bytes); }

/* ioctl and syscall are variadic, which Swift cannot call. */
static inline int satchel_terminal_size(int fd, int *columns, int *rows) {
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0) return -1;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 0;
}

static inline int satchel_pidfd_open(pid_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* A whole small file in three calls; the count of bytes, or a negative errno value. */
static inline ssize_t satchel_read_at(int directory, const char *name, void *buffer, size_t room) {
    int file = openat(directory, name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -errno;
    ssize_t count = read(file, buffer, room);
    if (count < 0) count = -errno;
    close(file);
    return count;
}

/* A new or emptied file filled in three calls; 0 or an errno value. */
static inline int satchel_write_at(int directory, const char *name, const void *bytes, size_t count) {
    int file = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return errno;
    int result = 0;
    while (count > 0 && result == 0) {
        ssize_t wrote = write(file, bytes, count);
        if (wrote >= 0) {
            bytes = (const char *)bytes + wrote;
            count -= (size_t)wrote;
        } else if (errno != EINTR) {
            result = errno;
        }
    }
    if (close(file) != 0 && result == 0) result = errno;
    return result;
}

/* Many entries of a directory at once, as struct linux_dirent64. */
static inline ssize_t satchel_entries(int directory, void *buffer, size_t room) {
    return syscall(SYS_getdents64, directory, buffer, room);
}

/* The kind of file system a file is on, as linux/magic.h numbers them; -1 when it is not known. */
static inline int64_t satchel_file_system(int file) {
    struct statfs info;
    return fstatfs(file, &info) == 0 ? (int64_t)(uint32_t)info.f_type : -1;
}

/* Waits until all that was written to a file's file system is on the disk. */
static inline int satchel_syncfs(int file) { return (int)syscall(SYS_syncfs, file); }

static inline const char *satchel_entry_name(const struct dirent *entry) { return entry->d_name; }

static inline int satchel_ignore_signal(int number) {
    return signal(number, SIG_IGN) == SIG_ERR ? -1 : 0;
}

/* A wish to stop: how often it was raised, by which signal last, and what to wake a poll with. */
struct satchel_token {
    long raised;
    int latest;
    int event;
    /* Seconds after its first signal until the process ends whatever it does; 0 for no end. */
    unsigned grace;
    /* What to give back before the process ends so. */
    struct satchel_keys *keys;
};

static inline long satchel_token_raised(const struct satchel_token *token) {
    return __atomic_load_n(&token->raised, __ATOMIC_ACQUIRE);
}

static inline int satchel_token_latest(const struct satchel_token *token) {
    return __atomic_load_n(&token->latest, __ATOMIC_ACQUIRE);
}

/* Does only what a signal's handler may do. */
static inline void satchel_token_raise(struct satchel_token *token, int number) {
    uint64_t one = 1;
    __atomic_store_n(&token->latest, number, __ATOMIC_RELEASE);
    __atomic_add_fetch(&token->raised, 1, __ATOMIC_ACQ_REL);
    if (write(token->event, &one, sizeof one) < 0) { /* full: it is readable already */ }
}

static inline void satchel_token_reset(struct satchel_token *token) {
    __atomic_store_n(&token->raised, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&token->latest, 0, __ATOMIC_RELEASE);
}

/*
 * Has a signal raise a token. The array is the handler's, so it is used through
 * satchel_catch_signal alone.
 */
static inline struct satchel_token **satchel_signal_token(int number) {
    static struct satchel_token *tokens[_NSIG];
    return &tokens[number];
}

/* Ends the process at once, as a shell tells that signal. */
static inline void satchel_give_up(int number) {
    struct satchel_token *token = *satchel_signal_token(number);
    satchel_keys_give_back(token->keys);
    _exit(128 + (number == SIGALRM ? satchel_token_latest(token) : number));
}

static inline void satchel_note_signal(int number) {
    int before = errno;
    struct satchel_token *token = *satchel_signal_token(number);
    satchel_token_raise(token, number);
    if (token->grace > 0) {
        /* Asked twice is meant. */
        if (satchel_token_raised(token) > 1) satchel_give_up(number);
        *satchel_signal_token(SIGALRM) = token;
        signal(SIGALRM, satchel_give_up);
        alarm(token->grace);
    }
    errno = before;
}

static inline int satchel_catch_signal(int number, struct satchel_token *token) {
    struct sigaction action;
    /* What nohup or a shell's background job ignores stays ignored. */
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN) return 0;
    memset(&action, 0, sizeof action);
    action.sa_handler = satchel_note_signal;
    action.sa_flags = SA_RESTART;
    sigfillset(&action.sa_mask);
    *satchel_signal_token(number) = token;
    return sigaction(number, &action, NULL);
}

/* SHA256 of libcrypto, looked up at run time so that no start pays for loading it. */
static inline int satchel_sha256(void *function, const void *bytes, size_t count, uint8_t *digest) {
    typedef unsigned char *(*sha256)(const unsigned char *, size_t, unsigned char *);
    return ((sha256)function)((const unsigned char *)bytes, count, digest) == NULL ? -1 : 0;
}

/*
 * Starts a program as the leader of its own process group, with the three descriptors given, every
 * other one closed, default handlers and nothing blocked. Returns an errno value, 0 for success.
 * The descriptors given must be 3 or higher.
 */
static inline int satchel_spawn(pid_t *pid, const char *program, char *const *arguments,
                                char *const *environment, const char *directory,
                                int input, int output, int errors) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int result = posix_spawn_file_actions_init(&actions);
    if (result != 0) return result;
    result = posix_spawnattr_init(&attributes);
    if (result != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return result;
    }
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    if (result == 0) result = posix_spawnattr_setpgroup(&attributes, 0);
    if (result == 0) result = posix_spawnattr_setsigmask(&attributes, &none);
    if (result == 0) result = posix_spawnattr_setsigdefault(&attributes, &all);
    if (result == 0)
        result = posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, input, 0);
    if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, output, 1);
    if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, errors, 2);
    if (result == 0 && directory != NULL)
        result = posix_spawn_file_actions_addchdir_np(&actions, directory);
    if (result == 0) result = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    if (result == 0)
        result = posix_spawn(pid, program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

/*
 * Starts a program that shares our terminal: in our process group, with our output and errors, and
 * `input` as its standard input. Every other descriptor is closed, handlers are the default ones and
 * nothing is blocked. Returns an errno value, 0 for success. `input` must be 3 or higher.
 */
static inline int satchel_spawn_on_terminal(pid_t *pid, const char *program,
                                            char *const *arguments, char *const *environment,
                                            int input) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int result = posix_spawn_file_actions_init(&actions);
    if (result != 0) return result;
    result = posix_spawnattr_init(&attributes);
    if (result != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return result;
    }
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    if (result == 0) result = posix_spawnattr_setsigmask(&attributes, &none);
    if (result == 0) result = posix_spawnattr_setsigdefault(&attributes, &all);
    if (result == 0)
        result = posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, input, 0);
    if (result == 0) result = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    if (result == 0)
        result = posix_spawn(pid, program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

#include "guard.h"
#include "interfaces.h"

#endif

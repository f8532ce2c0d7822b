#ifndef SATCHEL_CSYSTEM_KEYS_H
#define SATCHEL_CSYSTEM_KEYS_H

#include <errno.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

/* A terminal that gives its keys as they are pressed, and how it was before. */
struct satchel_keys {
    int file;
    volatile sig_atomic_t taken;
    struct termios before;
};

/* True where the terminal is this process's to set and to read: its group is in the foreground, or
 * nobody controls jobs there. Another process's setting of it would stop that process. */
static inline int satchel_has_terminal(int file) {
    pid_t group = tcgetpgrp(file);
    return group < 0 || group == getpgrp();
}

/* Does only what a signal's handler may do. */
static inline void satchel_keys_give_back(struct satchel_keys *keys) {
    if (!keys->taken) return;
    keys->taken = 0;
    if (satchel_has_terminal(keys->file)) tcsetattr(keys->file, TCSANOW, &keys->before);
}

/* Has the keys come as they are pressed, unseen, Ctrl-Z among them; Ctrl-C stays a signal. Also
 * takes them again when somebody set the terminal back meanwhile. 0 when they go to others. */
static inline int satchel_keys_take(struct satchel_keys *keys, int file) {
    struct termios now;
    if (!satchel_has_terminal(file)) return 0;
    /* The next read says what is wrong. */
    if (tcgetattr(file, &now) != 0) return 1;
    if (!(now.c_lflag & (ICANON | ECHO))) return 1;
    if (!keys->taken) {
        keys->file = file;
        keys->before = now;
        keys->taken = 1;
    }
    now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    now.c_cc[VMIN] = 1;
    now.c_cc[VTIME] = 0;
    now.c_cc[VSUSP] = _POSIX_VDISABLE;
    tcsetattr(file, TCSANOW, &now);
    return 1;
}

#endif

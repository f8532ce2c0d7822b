#ifndef SATCHEL_CSYSTEM_INTERFACES_H
#define SATCHEL_CSYSTEM_INTERFACES_H

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * A socket on which the kernel tells of network interfaces and of their addresses, see
 * https://man7.org/linux/man-pages/man7/rtnetlink.7.html; a negative errno value where there is none.
 */
static inline int satchel_interface_socket(void) {
    struct sockaddr_nl address;
    int number = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (number < 0) return -errno;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    /* RTMGRP_LINK, RTMGRP_IPV4_IFADDR and RTMGRP_IPV6_IFADDR, whose header clashes with Glibc's. */
    address.nl_groups = 0x1 | 0x10 | 0x100;
    if (bind(number, (const struct sockaddr *)&address, sizeof address) != 0) {
        int reason = errno;
        close(number);
        return -reason;
    }
    return number;
}

/*
 * One message, without waiting: how long it is, more than `room` where it was cut to that; 0 for one
 * that is not the kernel's; a negative errno value, EAGAIN where none is there.
 */
static inline ssize_t satchel_interface_read(int number, void *buffer, size_t room) {
    struct sockaddr_nl sender;
    socklen_t length = sizeof sender;
    memset(&sender, 0, sizeof sender);
    ssize_t count = recvfrom(number, buffer, room, MSG_DONTWAIT | MSG_TRUNC,
                             (struct sockaddr *)&sender, &length);
    if (count < 0) return -errno;
    return length == sizeof sender && sender.nl_pid == 0 ? count : 0;
}

#endif

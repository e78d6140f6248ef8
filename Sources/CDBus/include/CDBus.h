// SPDX-License-Identifier: MIT
/// libdbus-1 for Swift, and the little beside it that Swift cannot say for itself.
///
/// Everything of <dbus/dbus.h> is imported as it is, except macros with a cast (`DBUS_TYPE_*`, `DBUS_ERROR_INIT`)
/// and variadic functions. What is declared below exists for one of these reasons, named at each function.
#ifndef CDBUS_H
#define CDBUS_H

#include <dbus/dbus.h>
#include <stddef.h>
#include <stdint.h>

/// An empty DBusError. In C because `DBUS_ERROR_INIT` is a brace initialiser, which Swift does not import.
static inline DBusError cdbus_error_init(void) {
  DBusError error = DBUS_ERROR_INIT;
  return error;
}

/// A new non-blocking, close-on-exec eventfd, or -1 with errno set.
/// In C because Swift's Glibc module has no <sys/eventfd.h>.
int cdbus_eventfd(void);

/// Makes a pending or coming poll on `fd` (an eventfd) return. Never blocks. Safe in a signal handler.
void cdbus_eventfd_signal(int fd);

/// Takes the count out of `fd` (an eventfd). Never blocks.
void cdbus_eventfd_drain(int fd);

/// Names the calling thread, for debuggers; at most 15 bytes count.
/// In C because pthread_setname_np needs _GNU_SOURCE.
void cdbus_name_thread(const char *_Nonnull name);

/// Receives up to `max` (at most 64) packets of a SOCK_SEQPACKET socket without blocking: packet i goes to
/// `buffer + i * stride`, its length to `lengths[i]`. Returns how many came, or -errno.
/// A length of 0 is an empty packet or the end of the stream. In C because recvmmsg needs _GNU_SOURCE.
int cdbus_receive_packets(int fd, uint8_t *_Nonnull buffer, size_t stride, int32_t *_Nonnull lengths, int max);

/// How many bytes of a socket's its other end has not read yet, or -errno. In C because ioctl is variadic.
int cdbus_unread_count(int fd);

/// Receives what a stream socket holds, without blocking, up to `size` bytes, and the descriptors that come with it:
/// up to `max` go to `descriptors`, their number to `count`. Returns the number of bytes, 0 at the end, or -errno;
/// -EBADMSG when more descriptors came than there is room for. In C because CMSG_* are macros.
ptrdiff_t cdbus_receive(int fd, void *_Nonnull buffer, size_t size, int *_Nonnull descriptors, int max, int *_Nonnull count);

/// Sends what a stream socket takes without blocking; `count` descriptors (at most 16) go with the first byte.
/// Returns the number of bytes taken, or -errno; never raises SIGPIPE. In C because CMSG_* are macros.
ptrdiff_t cdbus_send(int fd, const void *_Nonnull buffer, size_t size, const int *_Nullable descriptors, int count);

#endif

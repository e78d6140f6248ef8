// SPDX-License-Identifier: MIT
/// System calls that Swift's Glibc module lacks; each declaration says why.
#ifndef CASYNCIO_H
#define CASYNCIO_H

#include <stddef.h>
#include <stdint.h>

/// A new non-blocking, close-on-exec eventfd, or -1 with errno set.
/// In C because Swift's Glibc module has no <sys/eventfd.h>.
int casyncio_eventfd(void);

/// Makes a pending or coming poll on `fd` (an eventfd) return. Never blocks. Safe in a signal handler.
void casyncio_eventfd_signal(int fd);

/// Takes the count out of `fd` (an eventfd). Never blocks.
void casyncio_eventfd_drain(int fd);

/// Names the calling thread, for debuggers; at most 15 bytes count.
/// In C because pthread_setname_np needs _GNU_SOURCE.
void casyncio_name_thread(const char *_Nonnull name);

/// Receives up to `max` (at most 64) packets of a SOCK_SEQPACKET socket without blocking: packet i goes to
/// `buffer + i * stride`, its length to `lengths[i]`. Returns how many came, or -errno.
/// A length of 0 is an empty packet or the end of the stream. In C because recvmmsg needs _GNU_SOURCE.
int casyncio_receive_packets(int fd, uint8_t *_Nonnull buffer, size_t stride, int32_t *_Nonnull lengths, int max);

/// How many bytes of a socket's its other end has not read yet, or -errno. In C because ioctl is variadic.
int casyncio_unread_count(int fd);

/// Receives what a stream socket holds, without blocking, up to `size` bytes, and the descriptors that come with it:
/// up to `max` go to `descriptors`, their number to `count`. Returns the number of bytes, 0 at the end, or -errno;
/// -EBADMSG when more descriptors came than there is room for. In C because CMSG_* are macros.
ptrdiff_t casyncio_receive(int fd, void *_Nonnull buffer, size_t size, int *_Nonnull descriptors, int max, int *_Nonnull count);

/// Sends what a stream socket takes without blocking; `count` descriptors (at most 16) go with the first byte.
/// Returns the number of bytes taken, or -errno; never raises SIGPIPE. In C because CMSG_* are macros.
ptrdiff_t casyncio_send(int fd, const void *_Nonnull buffer, size_t size, const int *_Nullable descriptors, int count);

#endif

// SPDX-License-Identifier: MIT
/// System calls that Swift's Glibc module lacks. Each declaration states why it must be in C.
#ifndef CASYNCIO_H
#define CASYNCIO_H

#include <stddef.h>
#include <stdint.h>

/// Returns a new non-blocking, close-on-exec eventfd, or -1 with errno set.
/// In C because Swift's Glibc module has no <sys/eventfd.h>.
int casyncio_eventfd(void);

/// Makes the current or next poll on `fd` (an eventfd) return. Never blocks. Safe in a signal handler.
void casyncio_eventfd_signal(int fd);

/// Resets the count of `fd` (an eventfd). Never blocks.
void casyncio_eventfd_drain(int fd);

/// Names the calling thread, for debuggers. Only the first 15 bytes are used.
/// In C because pthread_setname_np needs _GNU_SOURCE.
void casyncio_name_thread(const char *_Nonnull name);

/// Receives up to `max` (at most 64) packets of a SOCK_SEQPACKET socket without blocking: packet i goes to
/// `buffer + i * stride`, its length to `lengths[i]`. Returns the number of packets, or -errno.
/// A length of 0 is an empty packet or the end of the stream. In C because recvmmsg needs _GNU_SOURCE.
int casyncio_receive_packets(int fd, uint8_t *_Nonnull buffer, size_t stride, int32_t *_Nonnull lengths, int max);

/// Sends a packet without blocking. Returns the number of bytes sent, or -errno; never raises SIGPIPE.
/// In C because syscall(2) is variadic. send(2) costs a program with several threads 13 ns more, because it can be
/// cancelled (of 980 ns for each value of a characteristic).
ptrdiff_t casyncio_send_packet(int fd, const void *_Nullable bytes, size_t count);

/// Opens a pseudo-terminal whose bytes nothing changes: both ends, non-blocking and close-on-exec. The path of the end
/// for programs goes to `path`. Returns 0, or -errno. In C because ptsname_r and cfmakeraw need _GNU_SOURCE.
int casyncio_open_terminal(int ends[_Nonnull 2], char *_Nonnull path, size_t size);

/// Returns the number of bytes that the other end of a socket has not read, or -errno. In C because ioctl is variadic.
int casyncio_unread_count(int fd);

/// Receives up to `size` bytes from a stream socket without blocking, and the descriptors that come with them:
/// up to `max` go to `descriptors`, their number to `count`. Returns the number of bytes, 0 at the end, or -errno;
/// -EBADMSG if more descriptors arrive than fit. In C because CMSG_* are macros.
ptrdiff_t casyncio_receive(int fd, void *_Nonnull buffer, size_t size, int *_Nonnull descriptors, int max, int *_Nonnull count);

/// Sends as many bytes as a stream socket accepts without blocking; `count` descriptors (at most 16) go with the first.
/// Returns the number of bytes sent, or -errno; never raises SIGPIPE. In C because CMSG_* are macros.
ptrdiff_t casyncio_send(int fd, const void *_Nonnull buffer, size_t size, const int *_Nullable descriptors, int count);

/// A Bluetooth address, first byte first, and whether it is random.
struct casyncio_l2cap_address {
  uint8_t bytes[6];
  uint8_t is_random;
};

/// Opens a non-blocking, close-on-exec L2CAP socket of an LE adapter, with a PSM of ours (0 for a client, or for any),
/// a security level (BT_SECURITY_*) and the largest packet to receive. Returns it, or -errno.
/// In C because <bluetooth/bluetooth.h> belongs to BlueZ's library, which we do not need.
int casyncio_l2cap_open(struct casyncio_l2cap_address adapter, uint16_t psm, uint8_t security, uint16_t mtu);

/// Begins to connect a socket to a channel of a device. Returns 0, or -errno: -EINPROGRESS until it is writable.
int casyncio_l2cap_connect(int fd, struct casyncio_l2cap_address device, uint16_t psm);

/// Makes a socket listen. Returns its PSM, or -errno.
int casyncio_l2cap_listen(int fd, int backlog);

/// Accepts a client, which does not block and is not inherited; -errno if there is none.
int casyncio_accept(int listener);

/// Returns the next channel of a socket that listens, non-blocking and close-on-exec, and whose it is; or -errno.
/// In C because accept4 needs _GNU_SOURCE.
int casyncio_l2cap_accept(int fd, struct casyncio_l2cap_address *_Nonnull device);

/// The largest packet that the other end of a channel takes, or that we do; or -errno.
int casyncio_l2cap_mtu(int fd, int is_ours);

/// Returns and clears the pending error of a socket, or -errno.
int casyncio_socket_error(int fd);

/// The channels of the kernel's Bluetooth sockets.
enum casyncio_bluetooth_channel {
  /// Commands and events of one controller, as the kernel itself exchanges them.
  CASYNCIO_BLUETOOTH_RAW = 0,
  /// The management interface, for any controller.
  CASYNCIO_BLUETOOTH_CONTROL = 3,
};

/// The device of a socket for all controllers.
enum { CASYNCIO_NO_CONTROLLER = 0xffff };

enum { CASYNCIO_LINKS = 32 };

/// A link of a controller, as the kernel knows it.
struct casyncio_bluetooth_link {
  uint16_t handle;
  /// Bits: 0 we are its central, 1 authenticated, 2 encrypted.
  uint32_t mode;
  /// 0x80 is LE, 1 is BR/EDR.
  uint8_t type;
  /// Whether this machine opened it.
  uint8_t is_out;
  /// The last byte of the written form first.
  uint8_t address[6];
};

/// Returns a non-blocking, close-on-exec socket of the kernel's Bluetooth, or -errno; a raw one receives all events.
/// In C because Glibc has no sockaddr_hci.
int casyncio_open_bluetooth(uint16_t device, enum casyncio_bluetooth_channel channel);

/// Reads the address of a controller, last byte first, through any such socket. Returns 0, or -errno.
/// In C because ioctl is variadic.
int casyncio_bluetooth_address(int fd, uint16_t device, uint8_t address[_Nonnull 6]);

/// Reads the links of a controller, CASYNCIO_LINKS at most. Returns their number, or -errno.
/// In C because ioctl is variadic.
int casyncio_bluetooth_links(int fd, uint16_t device, struct casyncio_bluetooth_link *_Nonnull links);

/// Resets a USB device, as if it had been unplugged, by its file in /dev/bus/usb. Blocks for up to seconds.
/// Returns 0, or -errno. In C because ioctl is variadic.
int casyncio_reset_usb(const char *_Nonnull path);

#endif

// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "CAsyncIO.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <linux/sockios.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/// The maximum number of descriptors at once: the reference bus allows 16 per message.
enum { CASYNCIO_DESCRIPTORS = 16 };

int casyncio_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

void casyncio_eventfd_signal(int fd) {
  int saved = errno;
  uint64_t one = 1;
  ssize_t written = write(fd, &one, sizeof one);  // EAGAIN: already signalled
  (void)written;
  errno = saved;
}

void casyncio_eventfd_drain(int fd) {
  uint64_t count;
  ssize_t got = read(fd, &count, sizeof count);
  (void)got;
}

void casyncio_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int casyncio_receive_packets(int fd, uint8_t *buffer, size_t stride, int32_t *lengths, int max) {
  struct mmsghdr messages[64];
  struct iovec parts[64];
  if (max > 64) max = 64;
  memset(messages, 0, sizeof messages[0] * (size_t)max);
  for (int i = 0; i < max; i++) {
    parts[i].iov_base = buffer + (size_t)i * stride;
    parts[i].iov_len = stride;
    messages[i].msg_hdr.msg_iov = &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  int count = recvmmsg(fd, messages, (unsigned)max, MSG_DONTWAIT, NULL);
  if (count < 0) return -errno;
  for (int i = 0; i < count; i++) lengths[i] = (int32_t)messages[i].msg_len;
  return count;
}

ptrdiff_t casyncio_send_packet(int fd, const void *bytes, size_t count) {
  long sent;
  do {
    sent = syscall(SYS_sendto, fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
  } while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : sent;
}

int casyncio_open_terminal(int ends[2], char *path, size_t size) {
  int flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC;
  ends[1] = -1;
  ends[0] = posix_openpt(flags);
  struct termios mode;
  if (ends[0] >= 0 && grantpt(ends[0]) == 0 && unlockpt(ends[0]) == 0 && ptsname_r(ends[0], path, size) == 0 &&
      (ends[1] = open(path, flags)) >= 0 && tcgetattr(ends[1], &mode) == 0) {
    cfmakeraw(&mode);
    if (tcsetattr(ends[1], TCSANOW, &mode) == 0) return 0;
  }
  int reason = errno;
  for (int i = 0; i < 2; i++)
    if (ends[i] >= 0) close(ends[i]);
  return -reason;
}

int casyncio_unread_count(int fd) {
  int count = 0;
  return ioctl(fd, SIOCOUTQ, &count) < 0 ? -errno : count;
}

ptrdiff_t casyncio_receive(int fd, void *buffer, size_t size, int *descriptors, int max, int *count) {
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(CASYNCIO_DESCRIPTORS * sizeof(int))];
  } control;
  struct iovec part = {.iov_base = buffer, .iov_len = size};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  *count = 0;
  ssize_t got = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < 0) return -errno;
  int fits = (message.msg_flags & MSG_CTRUNC) == 0;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part != NULL; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    size_t found = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < found; i++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof descriptor);
      if (*count < max) {
        descriptors[(*count)++] = descriptor;
      } else {
        close(descriptor);
        fits = 0;
      }
    }
  }
  return fits ? got : -EBADMSG;
}

ptrdiff_t casyncio_send(int fd, const void *buffer, size_t size, const int *descriptors, int count) {
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(CASYNCIO_DESCRIPTORS * sizeof(int))];
  } control;
  struct iovec part = {.iov_base = (void *)(uintptr_t)buffer, .iov_len = size};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (count > CASYNCIO_DESCRIPTORS) return -EMSGSIZE;
  if (count > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
    memcpy(CMSG_DATA(header), descriptors, (size_t)count * sizeof(int));
  }
  ssize_t taken = sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  return taken < 0 ? -errno : taken;
}

// As in <bluetooth/bluetooth.h> and <bluetooth/l2cap.h>, which are a part of the kernel's stable interface.
enum { L2CAP_PROTOCOL = 0, LE_PUBLIC = 1, LE_RANDOM = 2, LEVEL = 274, SECURITY = 4, SEND_MTU = 12, RECEIVE_MTU = 13 };

struct sockaddr_l2 {
  sa_family_t family;
  uint16_t psm;  // little-endian, as all of these
  uint8_t address[6];
  uint16_t cid;
  uint8_t address_type;
};

static uint16_t little_endian(uint16_t number) {
  uint8_t bytes[2] = {(uint8_t)number, (uint8_t)(number >> 8)};
  uint16_t result;
  memcpy(&result, bytes, sizeof result);
  return result;
}

static struct sockaddr_l2 l2cap_name(struct casyncio_l2cap_address address, uint16_t psm) {
  struct sockaddr_l2 name = {.family = AF_BLUETOOTH, .psm = little_endian(psm)};
  for (int i = 0; i < 6; i++) name.address[i] = address.bytes[5 - i];
  name.address_type = address.is_random ? LE_RANDOM : LE_PUBLIC;
  return name;
}

int casyncio_l2cap_open(struct casyncio_l2cap_address adapter, uint16_t psm, uint8_t security, uint16_t mtu) {
  int fd = socket(AF_BLUETOOTH, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, L2CAP_PROTOCOL);
  if (fd < 0) return -errno;
  struct sockaddr_l2 name = l2cap_name(adapter, psm);
  uint8_t level[2] = {security, 0};
  // The kernel takes the size of packets only when it knows that the link is LE.
  if (bind(fd, (struct sockaddr *)&name, sizeof name) == 0 &&
      setsockopt(fd, LEVEL, SECURITY, level, sizeof level) == 0 &&
      setsockopt(fd, LEVEL, RECEIVE_MTU, &mtu, sizeof mtu) == 0)
    return fd;
  int failure = -errno;
  close(fd);
  return failure;
}

int casyncio_l2cap_connect(int fd, struct casyncio_l2cap_address device, uint16_t psm) {
  struct sockaddr_l2 name = l2cap_name(device, psm);
  return connect(fd, (struct sockaddr *)&name, sizeof name) == 0 ? 0 : -errno;
}

int casyncio_accept(int listener) {
  int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  return client < 0 ? -errno : client;
}

int casyncio_l2cap_listen(int fd, int backlog) {
  struct sockaddr_l2 name;
  socklen_t size = sizeof name;
  if (listen(fd, backlog) != 0 || getsockname(fd, (struct sockaddr *)&name, &size) != 0) return -errno;
  return little_endian(name.psm);
}

int casyncio_l2cap_accept(int fd, struct casyncio_l2cap_address *device) {
  struct sockaddr_storage storage;
  memset(&storage, 0, sizeof storage);
  socklen_t size = sizeof storage;
  int channel = accept4(fd, (struct sockaddr *)&storage, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (channel < 0) return -errno;
  memset(device, 0, sizeof *device);
  if (storage.ss_family == AF_UNIX) {  // a simulator's, which names its socket after the device
    const struct sockaddr_un *name = (const struct sockaddr_un *)&storage;
    if (size >= offsetof(struct sockaddr_un, sun_path) + 1 + sizeof *device) memcpy(device, name->sun_path + 1, sizeof *device);
    return channel;
  }
  struct sockaddr_l2 name;
  memcpy(&name, &storage, sizeof name);
  for (int i = 0; i < 6; i++) device->bytes[i] = name.address[5 - i];
  device->is_random = name.address_type == LE_RANDOM;
  return channel;
}

int casyncio_l2cap_mtu(int fd, int is_ours) {
  uint16_t mtu = 0;
  socklen_t size = sizeof mtu;
  return getsockopt(fd, LEVEL, is_ours ? RECEIVE_MTU : SEND_MTU, &mtu, &size) == 0 ? mtu : -errno;
}

int casyncio_socket_error(int fd) {
  int number = 0;
  socklen_t size = sizeof number;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &number, &size) == 0 ? number : -errno;
}

// MARK: The Bluetooth of the kernel, whose headers belong to libbluetooth

enum {
  PROTOCOL_HCI = 1,
  LEVEL_HCI = 0,
  OPTION_HCI_FILTER = 2,
  PACKET_EVENT = 4,
};

struct hci_address {
  sa_family_t family;
  uint16_t device;
  uint16_t channel;
};

struct hci_filter {
  uint32_t types;
  uint32_t events[2];
  uint16_t opcode;
};

struct hci_link {
  uint16_t handle;
  uint8_t address[6];
  uint8_t type;
  uint8_t is_out;
  uint16_t state;
  uint32_t mode;
};

struct hci_links {
  uint16_t device;
  uint16_t count;
  struct hci_link links[CASYNCIO_LINKS];
};

struct hci_device {
  uint16_t device;
  char name[8];
  uint8_t address[6];
  // The statistics and features that follow are of no interest.
  uint8_t rest[256];
};

int casyncio_open_bluetooth(uint16_t device, enum casyncio_bluetooth_channel channel) {
  int fd = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, PROTOCOL_HCI);
  if (fd < 0) return -errno;
  const struct hci_address address = {AF_BLUETOOTH, device, (uint16_t)channel};
  const struct hci_filter all = {1u << PACKET_EVENT, {UINT32_MAX, UINT32_MAX}, 0};
  int failed = bind(fd, (const struct sockaddr *)&address, sizeof address);
  // Without CAP_NET_RAW, the kernel clears the events that are none of our business.
  if (!failed && channel == CASYNCIO_BLUETOOTH_RAW) failed = setsockopt(fd, LEVEL_HCI, OPTION_HCI_FILTER, &all, sizeof all);
  if (!failed) return fd;
  int reason = errno;
  close(fd);
  return -reason;
}

int casyncio_bluetooth_address(int fd, uint16_t device, uint8_t address[6]) {
  struct hci_device found = {.device = device};
  if (ioctl(fd, _IOR('H', 211, int), &found) < 0) return -errno;
  memcpy(address, found.address, sizeof found.address);
  return 0;
}

int casyncio_bluetooth_links(int fd, uint16_t device, struct casyncio_bluetooth_link *links) {
  struct hci_links found = {.device = device, .count = CASYNCIO_LINKS};
  if (ioctl(fd, _IOR('H', 212, int), &found) < 0) return -errno;
  for (int i = 0; i < found.count; i++) {
    const struct hci_link *link = &found.links[i];
    links[i] = (struct casyncio_bluetooth_link){
        .handle = link->handle, .mode = link->mode, .type = link->type, .is_out = link->is_out};
    memcpy(links[i].address, link->address, sizeof link->address);
  }
  return found.count;
}

int casyncio_reset_usb(const char *path) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -errno;
  int status = ioctl(fd, _IO('U', 20), NULL) < 0 ? -errno : 0;
  close(fd);
  return status;
}

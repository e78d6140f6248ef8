// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "CDBus.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

int cdbus_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

void cdbus_eventfd_signal(int fd) {
  int saved = errno;
  uint64_t one = 1;
  ssize_t written = write(fd, &one, sizeof one);  // EAGAIN: already signalled
  (void)written;
  errno = saved;
}

void cdbus_eventfd_drain(int fd) {
  uint64_t count;
  ssize_t got = read(fd, &count, sizeof count);
  (void)got;
}

void cdbus_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int cdbus_receive_packets(int fd, uint8_t *buffer, size_t stride, int32_t *lengths, int max) {
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

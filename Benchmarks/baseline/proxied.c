// SPDX-License-Identifier: MIT
/// A client of `blectl proxy`, which it runs: `proxied COUNT COMMAND…`. It greets, subscribes to raw advertisements, and
/// writes a line for each of the first COUNT with service data of BTHome: address and bytes. What it costs is counted with
/// the proxy; the floor is a client of BlueZ that writes the same lines.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { HELLO = 1, SUBSCRIBE = 66, ADVERTISEMENTS = 93, MAX_BODY = 32768, TRIES = 1000 };

static int connection;

static void fail(const char *what) {
  fprintf(stderr, "proxied: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int open_socket(struct sockaddr_in *address) {
  int opened = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (opened < 0) fail("socket");
  address->sin_family = AF_INET;
  address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return opened;
}

/// A port that nothing uses now.
static uint16_t free_port(void) {
  struct sockaddr_in address = {0};
  socklen_t size = sizeof address;
  int opened = open_socket(&address);
  if (bind(opened, (struct sockaddr *)&address, size) < 0) fail("bind");
  if (getsockname(opened, (struct sockaddr *)&address, &size) < 0) fail("getsockname");
  close(opened);
  return ntohs(address.sin_port);
}

/// Connects as soon as the proxy listens.
static void reach(uint16_t port) {
  struct timespec pause = {.tv_nsec = 10000000};
  for (int number = 0; number < TRIES; number++) {
    struct sockaddr_in address = {.sin_port = htons(port)};
    connection = open_socket(&address);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) == 0) return;
    close(connection);
    nanosleep(&pause, NULL);
  }
  fail("connect");
}

static void send_message(uint8_t type, const uint8_t *body, uint8_t size) {
  uint8_t frame[64] = {0, size, type};
  memcpy(frame + 3, body, size);
  if (write(connection, frame, 3 + size) != 3 + size) fail("write");
}

static uint8_t next_byte(void) {
  static uint8_t buffer[65536];
  static ssize_t count, index;
  if (index == count) {
    count = read(connection, buffer, sizeof buffer);
    index = 0;
    if (count <= 0) fail("the proxy has left");
  }
  return buffer[index++];
}

static uint64_t received_number(void) {
  uint64_t number = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    uint8_t byte = next_byte();
    number |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return number;
}

static uint64_t number_at(const uint8_t **at) {
  uint64_t number = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    uint8_t byte = *(*at)++;
    number |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return number;
}

/// Writes the line of an advertisement; 0 if it is of something else.
static int show(const uint8_t *at, const uint8_t *end) {
  static const uint8_t sensor[] = {0x16, 0xd2, 0xfc};
  uint64_t address = 0;
  const uint8_t *data = NULL;
  size_t size = 0;
  while (at < end) {
    uint64_t key = number_at(&at), number = number_at(&at);
    if (key == (1 << 3)) address = number;
    if ((key & 7) == 2) {
      data = at;
      size = number;
      at += number;
    }
  }
  const uint8_t *found = data == NULL ? NULL : memmem(data, size, sensor, sizeof sensor);
  if (found == NULL || found == data) return 0;
  // The length of the structure stands before its type.
  const uint8_t *last = found + found[-1];
  for (int shift = 40; shift >= 0; shift -= 8) printf(shift == 0 ? "%02X" : "%02X:", (int)(address >> shift & 0xff));
  printf("\tfcd2=");
  for (found += sizeof sensor; found < last && found < data + size; found++) printf("%02x", *found);
  putchar('\n');
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 3) return 64;
  long left = atol(argv[1]);
  uint16_t port = free_port();
  char text[8];
  snprintf(text, sizeof text, "%u", port);
  char *command[32] = {0};
  int words = 0;
  for (int index = 2; index < argc && words < 29; index++) command[words++] = argv[index];
  command[words++] = "--port";
  command[words++] = text;
  // Its records would stand between the lines.
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t proxy;
  if ((errno = posix_spawnp(&proxy, command[0], &actions, NULL, command, environ)) != 0) fail(command[0]);
  reach(port);
  static const uint8_t hello[] = {0x0a, 5, 'b', 'e', 'n', 'c', 'h'}, raw[] = {0x08, 1};
  send_message(HELLO, hello, sizeof hello);
  send_message(SUBSCRIBE, raw, sizeof raw);
  static uint8_t body[MAX_BODY];
  while (left > 0) {
    if (next_byte() != 0) fail("a frame of another kind");
    uint64_t size = received_number(), type = received_number();
    if (size > sizeof body) fail("a frame that is too long");
    for (uint64_t index = 0; index < size; index++) body[index] = next_byte();
    if (type != ADVERTISEMENTS) continue;
    const uint8_t *at = body, *end = body + size;
    while (at < end && left > 0) {
      number_at(&at);
      uint64_t length = number_at(&at);
      left -= show(at, at + length);
      at += length;
    }
  }
  fflush(stdout);
  kill(proxy, SIGTERM);
  int status;
  return waitpid(proxy, &status, 0) == proxy ? 0 : 1;
}

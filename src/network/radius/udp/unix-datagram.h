/*
 * One datagram to a socket of this machine, as service managers receive what a service tells them (sd_notify(3)): Node has no such
 * sockets.
 */
#ifndef UNIX_DATAGRAM_H
#define UNIX_DATAGRAM_H

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* A manager reads at once; one that has stopped must not stop us too. */
#define UNIX_SEND_SECONDS 1

/* The address is a path, or with @ before it an abstract name (unix(7)). Returns 0 or the number of the error. */
static int send_to_unix(const char *address, size_t address_bytes, const char *bytes, size_t count) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  if (address_bytes < 2 || address_bytes >= sizeof to.sun_path || (address[0] != '@' && address[0] != '/')) return EINVAL;
  memcpy(to.sun_path, address, address_bytes);
  if (address[0] == '@') to.sun_path[0] = '\0';
  socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + address_bytes);
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  struct timeval patience = {.tv_sec = UNIX_SEND_SECONDS};
  int error = setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) < 0 ? errno : 0;
  if (error == 0 && sendto(fd, bytes, count, MSG_NOSIGNAL, (struct sockaddr *)&to, length) < 0) error = errno;
  close(fd);
  return error;
}

#endif

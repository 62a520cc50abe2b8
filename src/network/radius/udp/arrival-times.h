/*
 * When datagrams arrived, by the clock that nobody sets (CLOCK_MONOTONIC, which process.hrtime of Node tells). The kernel stamps a
 * datagram at its arrival with the time of day (SO_TIMESTAMPNS), so the stamp says how long it lay in the socket while the program was
 * busy or stood still. Times are in nanoseconds.
 *
 * The clock of the time of day may have been set between arrival and reading. Then there are two readings of a stamp: by how far that
 * clock is ahead of the steady one now, and by how far it was when nothing had been left to read. The later one counts that does not
 * lie in the future: it is right for what arrived after the clock was set as well as for what arrived before, and no datagram becomes
 * older than it is.
 */
#ifndef ARRIVAL_TIMES_H
#define ARRIVAL_TIMES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

typedef struct {
  /* Datagrams of this socket are stamped. */
  bool stamps;
  /* How far the time of day is ahead of the steady clock: now, and when a read last left nothing. */
  int64_t ahead;
  int64_t ahead_before;
  /* The steady clock after the last read. */
  int64_t now;
} Arrivals;

static int64_t clock_of(clockid_t id) {
  struct timespec time = {0};
  clock_gettime(id, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* To be called after each read, before its stamps are looked at. */
static void look_at_clocks(Arrivals *arrivals) {
  arrivals->now = clock_of(CLOCK_MONOTONIC);
  arrivals->ahead = clock_of(CLOCK_REALTIME) - arrivals->now;
}

/* Where the kernel has no such stamps a datagram counts as having arrived when it is read. */
static void ask_for_stamps(int fd, Arrivals *arrivals) {
  int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  arrivals->stamps = true;
  look_at_clocks(arrivals);
  arrivals->ahead_before = arrivals->ahead;
}

static int64_t arrival_by(const Arrivals *arrivals, int64_t stamp) {
  int64_t arrived = stamp - arrivals->ahead;
  int64_t before = stamp - arrivals->ahead_before;
  if (arrived > arrivals->now || (before > arrived && before <= arrivals->now)) arrived = before;
  return arrived < arrivals->now ? arrived : arrivals->now;
}

static int64_t arrival_of(const Arrivals *arrivals, struct msghdr *message) {
  for (struct cmsghdr *control = CMSG_FIRSTHDR(message); control != NULL; control = CMSG_NXTHDR(message, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_TIMESTAMPNS) continue;
    struct timespec stamp;
    memcpy(&stamp, CMSG_DATA(control), sizeof stamp);
    return arrival_by(arrivals, (int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec);
  }
  return arrivals->now;
}

#endif

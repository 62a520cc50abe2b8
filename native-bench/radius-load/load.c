/*
 * Asks a RADIUS server on this machine as fast as it answers (closed loop) or at a rate (open loop), and judges every answer. In the
 * open loop a request is due at its moment whatever became of those before, and its latency counts from then.
 */
#define _GNU_SOURCE
#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

static void fail(const char *what) {
  fprintf(stderr, "radius-load: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void open_source(const struct options *options, struct source *source, uint32_t number) {
  source->nas = options->nas_first + number % options->nas_count;
  source->descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  if (source->descriptor < 0) fail("socket");
  /* A burst of answers must fit; only root may go beyond the system's limit. */
  int bytes = 4 << 20;
  if (setsockopt(source->descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) < 0)
    setsockopt(source->descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(source->nas)};
  struct sockaddr_in to = {
      .sin_family = AF_INET, .sin_port = htons(options->port), .sin_addr.s_addr = htonl(options->host)};
  if (bind(source->descriptor, (struct sockaddr *)&from, sizeof from) < 0) fail("bind");
  if (connect(source->descriptor, (struct sockaddr *)&to, sizeof to) < 0) fail("connect");
}

static bool is_over(const struct run *run, uint64_t now) {
  uint64_t most = run->options.requests_max;
  return now >= run->until || (most > 0 && run->made >= most);
}

/* False also where nothing is left to close. */
static bool may_make(const struct run *run, uint64_t now) {
  if (!is_over(run, now)) return true;
  for (uint32_t i = 0; run->is_closing && i < run->options.sockets; i++)
    if (run->sources[i].sessions_count > 0) return true;
  return false;
}

static void receive(struct run *run, struct source *source) {
  static uint8_t packets[batch_max][packet_bytes_max];
  static struct mmsghdr messages[batch_max];
  static struct iovec parts[batch_max];
  for (;;) {
    for (int i = 0; i < batch_max; i++) {
      parts[i] = (struct iovec){packets[i], packet_bytes_max};
      messages[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i], .msg_iovlen = 1};
    }
    int count = recvmmsg(source->descriptor, messages, batch_max, MSG_DONTWAIT, 0);
    if (count < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNREFUSED) fail("recvmmsg");
    uint64_t now = clock_now();
    for (int i = 0; i < count; i++) take_answer(run, source, packets[i], messages[i].msg_len, now);
    if (count < batch_max) return;
  }
}

/* Closed loop: every socket has its share of the requests under way. */
static void fill_up(struct run *run, struct source *source, uint64_t now) {
  uint32_t share = run->options.outstanding / run->options.sockets;
  if (source->number < run->options.outstanding % run->options.sockets) share++;
  while (source->waiting < share && may_make(run, now) && make_request(run, source, now)) continue;
}

/* Open loop: what is due is made now; what no socket can take stays due. */
static void make_due(struct run *run, uint64_t now) {
  for (uint32_t refused = 0; refused < run->options.sockets && may_make(run, now);) {
    uint64_t due = run->started + (uint64_t)((double)run->made * 1e9 / run->options.rate);
    static uint32_t next;
    if (due > now) return;
    struct source *source = &run->sources[next++ % run->options.sockets];
    if (source->batch_count == batch_max) send_batch(run, source);
    if (make_request(run, source, due)) refused = 0;
    else refused++;
  }
}

/* Nanoseconds until something has to be done even if no answer comes. */
static uint64_t pause_of(const struct run *run, uint64_t now) {
  uint64_t wake = now + 100000000;
  if (run->earliest) {
    uint64_t late = run->earliest->sent + (uint64_t)(run->options.timeout_seconds * 1e9);
    if (late < wake) wake = late;
  }
  if (may_make(run, now)) {
    uint64_t due = run->options.rate > 0 ? run->started + (uint64_t)((double)run->made * 1e9 / run->options.rate)
                   : now < run->until    ? run->until
                                         : wake;
    if (due < wake) wake = due;
  }
  return wake > now ? wake - now : 0;
}

static void drive(struct run *run, struct pollfd *polls) {
  uint32_t sockets = run->options.sockets;
  bool is_open = run->options.rate > 0;
  for (;;) {
    uint64_t now = clock_now();
    resend_late(run, now);
    if (is_over(run, now) && !run->is_closing) close_sessions(run);
    if (is_open) make_due(run, now);
    for (uint32_t i = 0; i < sockets; i++) {
      struct source *source = &run->sources[i];
      if (!is_open) fill_up(run, source, now);
      if (source->batch_count > 0) send_batch(run, source);
    }
    if (run->waiting == 0 && !may_make(run, now)) return;
    uint64_t pause = pause_of(run, clock_now());
    struct timespec timeout = {(time_t)(pause / 1000000000), (long)(pause % 1000000000)};
    if (ppoll(polls, sockets, &timeout, 0) < 0 && errno != EINTR) fail("ppoll");
    for (uint32_t i = 0; i < sockets; i++)
      if (polls[i].revents) receive(run, &run->sources[i]);
  }
}

int main(int count, char **words) {
  struct run *run = calloc(1, sizeof *run);
  run->options = read_options(count, words);
  run->random = run->options.seed;
  shared_secret_set(&run->secret, run->options.secret);
  run->sources = calloc(run->options.sockets, sizeof *run->sources);
  struct pollfd *polls = calloc(run->options.sockets, sizeof *polls);
  for (uint32_t i = 0; i < run->options.sockets; i++) {
    open_source(&run->options, &run->sources[i], i);
    polls[i] = (struct pollfd){.fd = run->sources[i].descriptor, .events = POLLIN};
  }
  prepare_run(run);
  /* Else the kernel rounds the pauses of the open loop up by fifty microseconds. */
  prctl(PR_SET_TIMERSLACK, 1);
  /* Who measures waits must not wait itself behind what it measures; without the right to it, it does. */
  if (run->options.rate > 0) setpriority(PRIO_PROCESS, 0, -20);
  run->started = clock_now();
  run->until = run->started + (uint64_t)(run->options.seconds * 1e9);
  drive(run, polls);
  report(run, clock_now());
  return 0;
}

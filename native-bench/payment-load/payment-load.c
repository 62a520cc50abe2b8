/*
 * Sends prepared HTTP requests to a program on this machine at a rate, whether or not those before are answered, and asks for the access
 * of whom each is about as soon as it has its answer, at the same or another program:
 * payment-load <file> <http port> <RADIUS port> <NAS address> <secret> <rate> <pause>
 *
 * The file holds for each: three little-endian 32-bit numbers, which are the lengths of the HTTP request and of the Access-Request and the
 * code of RADIUS that is to answer it; then the bytes of both. An Access-Request begins with its Message-Authenticator; identifier and
 * signature are made here. One without bytes is not asked. With a pause, in milliseconds, another answer of RADIUS is not the end: it is
 * asked again after it. For each, in order, a line goes to standard output: milliseconds from the moment it was due to the answer of HTTP
 * and to that of RADIUS with the code, or -1, and 1 where the request was taken.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "../radius-load/md5.h"

enum {
  connections_max = 512,
  sockets = 32,
  identifiers = 256,
  answer_bytes_max = 4096,
  patience_seconds = 10,
  signature_at = 22
};

struct payer {
  const char *request;
  uint8_t *question;
  uint32_t request_bytes, question_bytes, code;
  /* When it is asked again, while it waits for that. */
  uint64_t due, answered, accepted, again;
  bool taken;
};

struct connection {
  int descriptor;
  struct payer *payer;
  uint32_t sent, received;
  char answer[answer_bytes_max];
};

static struct payer *payers;
static uint32_t payer_count, next_payer, finished;
static struct connection connections[connections_max];
static struct connection *idle[connections_max];
static uint32_t connection_count, idle_count;
static int radius[sockets];
static struct payer *asking[sockets][identifiers];
static uint32_t next_name;
/* Who is to be asked again, in the order of the moments; everybody is there once at most. */
static struct payer **again;
static uint32_t again_first, again_end;
static uint64_t pause_nanoseconds;
static struct hmac_key secret;
static int events;
static uint16_t http_port;

static void fail(const char *what) {
  fprintf(stderr, "payment-load: %s: %s\n", what, errno ? strerror(errno) : "unexpected");
  exit(1);
}

static uint64_t clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void read_payers(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) fail(path);
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  uint8_t *bytes = malloc(size);
  if (fread(bytes, 1, size, file) != size) fail(path);
  fclose(file);
  payers = calloc(size / 12 + 1, sizeof *payers);
  for (size_t at = 0; at < size;) {
    struct payer *payer = &payers[payer_count++];
    memcpy(&payer->request_bytes, bytes + at, 4);
    memcpy(&payer->question_bytes, bytes + at + 4, 4);
    memcpy(&payer->code, bytes + at + 8, 4);
    payer->request = (const char *)bytes + at + 12;
    payer->question = bytes + at + 12 + payer->request_bytes;
    at += 12 + payer->request_bytes + payer->question_bytes;
  }
  again = calloc(payer_count + 1, sizeof *again);
}

static void watch(int descriptor, uint64_t tag) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = tag};
  if (epoll_ctl(events, EPOLL_CTL_ADD, descriptor, &event) < 0) fail("epoll_ctl");
}

static void open_radius(uint16_t port, const char *address) {
  for (int i = 0; i < sockets; i++) {
    struct sockaddr_in from = {.sin_family = AF_INET};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (inet_pton(AF_INET, address, &from.sin_addr) != 1) fail(address);
    radius[i] = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    if (radius[i] < 0 || bind(radius[i], (struct sockaddr *)&from, sizeof from) < 0) fail("RADIUS socket");
    if (connect(radius[i], (struct sockaddr *)&to, sizeof to) < 0) fail("RADIUS socket");
    watch(radius[i], (uint64_t)i);
  }
}

static void open_connection(struct connection *connection) {
  struct sockaddr_in to = {
      .sin_family = AF_INET, .sin_port = htons(http_port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  connection->descriptor = socket(AF_INET, SOCK_STREAM, 0);
  connection->payer = NULL;
  if (connect(connection->descriptor, (struct sockaddr *)&to, sizeof to) < 0) fail("connect");
  int on = 1;
  setsockopt(connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  watch(connection->descriptor, sockets + (uint64_t)(connection - connections));
}

static struct connection *free_connection(void) {
  if (idle_count > 0) return idle[--idle_count];
  if (connection_count == connections_max) return NULL;
  struct connection *connection = &connections[connection_count++];
  open_connection(connection);
  return connection;
}

/* The server closes those that have been idle for some seconds. */
static void replace(struct connection *connection) {
  bool was_idle = !connection->payer;
  close(connection->descriptor);
  open_connection(connection);
  if (was_idle) return;
  idle[idle_count++] = connection;
  finished++;
}

/* A request fits into the buffer of a socket of this machine. */
static void tell(struct connection *connection, struct payer *payer) {
  connection->payer = payer;
  connection->received = 0;
  ssize_t sent = send(connection->descriptor, payer->request, payer->request_bytes, MSG_NOSIGNAL);
  if (sent != (ssize_t)payer->request_bytes) fail("send");
}

/* A name that nobody waits with: else what is asked again would be a retransmission, and its answer the same. */
static void ask(struct payer *payer) {
  uint32_t name = next_name++ % (sockets * identifiers);
  for (uint32_t tried = 0; asking[name / identifiers][name % identifiers]; tried++) {
    if (tried == sockets * identifiers) fail("too many questions wait");
    name = next_name++ % (sockets * identifiers);
  }
  asking[name / identifiers][name % identifiers] = payer;
  payer->question[1] = (uint8_t)(name % identifiers);
  memset(payer->question + signature_at, 0, MD5_BYTES);
  hmac_md5(&secret, payer->question, payer->question_bytes, payer->question + signature_at);
  if (send(radius[name / identifiers], payer->question, payer->question_bytes, 0) < 0) fail("send of an Access-Request");
}

static bool is_taken(const char *answer, const char *body) {
  if (strncmp(answer, "HTTP/1.1 201", 12) == 0) return true;
  if (strncmp(answer, "HTTP/1.1 200", 12) != 0) return false;
  return strncmp(body, "OK\n", 3) == 0 || strncmp(body, "WMI_RESULT=OK", 13) == 0;
}

static void take_http(struct connection *connection) {
  ssize_t count = recv(connection->descriptor, connection->answer + connection->received,
                       answer_bytes_max - 1 - connection->received, MSG_DONTWAIT);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) {
    replace(connection);
    return;
  }
  connection->received += (uint32_t)count;
  connection->answer[connection->received] = 0;
  const char *end = strstr(connection->answer, "\r\n\r\n");
  if (!end) return;
  const char *length = strcasestr(connection->answer, "\r\ncontent-length:");
  size_t bytes = length ? strtoul(length + 17, NULL, 10) : 0;
  const char *body = end + 4;
  if (connection->received < (size_t)(body - connection->answer) + bytes) return;
  struct payer *payer = connection->payer;
  payer->answered = clock_now();
  payer->taken = is_taken(connection->answer, body);
  connection->payer = NULL;
  idle[idle_count++] = connection;
  if (payer->taken && payer->question_bytes > 0) ask(payer);
  else finished++;
}

static void take_radius(int socket_number) {
  uint8_t answer[answer_bytes_max];
  ssize_t count;
  while ((count = recv(radius[socket_number], answer, sizeof answer, 0)) > 0) {
    struct payer *payer = asking[socket_number][answer[1]];
    if (!payer) continue;
    asking[socket_number][answer[1]] = NULL;
    if (answer[0] == payer->code) payer->accepted = clock_now();
    if (payer->accepted || pause_nanoseconds == 0) {
      finished++;
      continue;
    }
    payer->again = clock_now() + pause_nanoseconds;
    again[again_end++ % (payer_count + 1)] = payer;
  }
}

/* Answers the moment of the next one. */
static uint64_t ask_again(uint64_t now) {
  for (; again_first != again_end; again_first++) {
    struct payer *payer = again[again_first % (payer_count + 1)];
    if (payer->again > now) return payer->again;
    ask(payer);
  }
  return UINT64_MAX;
}

static void drive(double rate) {
  uint64_t started = clock_now() + 50000000;
  uint64_t until = started + (uint64_t)((double)payer_count * 1e9 / rate) + (uint64_t)patience_seconds * 1000000000;
  for (;;) {
    uint64_t now = clock_now();
    uint64_t wake = now + 100000000;
    while (next_payer < payer_count) {
      struct payer *payer = &payers[next_payer];
      payer->due = started + (uint64_t)((double)next_payer * 1e9 / rate);
      if (payer->due > now) {
        wake = payer->due;
        break;
      }
      struct connection *connection = free_connection();
      if (!connection) break;
      next_payer++;
      tell(connection, payer);
    }
    uint64_t next = ask_again(now);
    if (next < wake) wake = next;
    if (finished == payer_count || now > until) return;
    struct timespec pause = {0, (long)(wake > now ? wake - now : 0)};
    struct epoll_event found[256];
    int count = epoll_pwait2(events, found, 256, &pause, NULL);
    if (count < 0 && errno != EINTR) fail("epoll_pwait2");
    for (int i = 0; i < count; i++) {
      uint64_t tag = found[i].data.u64;
      if (tag < sockets) take_radius((int)tag);
      else take_http(&connections[tag - sockets]);
    }
  }
}

static double milliseconds(uint64_t due, uint64_t moment) {
  return moment == 0 ? -1 : (double)(moment - due) / 1e6;
}

int main(int count, char **words) {
  if (count != 8) {
    fprintf(stderr, "payment-load <file> <http port> <RADIUS port> <NAS address> <secret> <rate> <pause>\n");
    return 2;
  }
  read_payers(words[1]);
  http_port = (uint16_t)atoi(words[2]);
  hmac_key_set(&secret, words[5], strlen(words[5]));
  pause_nanoseconds = (uint64_t)(atof(words[7]) * 1e6);
  events = epoll_create1(0);
  open_radius((uint16_t)atoi(words[3]), words[4]);
  /* Else the kernel rounds the pauses up by fifty microseconds. */
  prctl(PR_SET_TIMERSLACK, 1);
  /* Who measures waits must not wait itself behind what it measures; without the right to it, it does. */
  setpriority(PRIO_PROCESS, 0, -20);
  drive(atof(words[6]));
  for (uint32_t i = 0; i < payer_count; i++)
    printf("%.3f %.3f %d\n", milliseconds(payers[i].due, payers[i].answered),
           milliseconds(payers[i].due, payers[i].accepted), payers[i].taken);
  return 0;
}

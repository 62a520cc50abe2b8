/*
 * Sends prepared payment notices to a webhook on this machine at a rate, whether or not those before are answered, and asks for the
 * access of each payer as soon as its notice has its answer: payment-load <file> <http port> <RADIUS port> <NAS address> <rate>
 *
 * The file holds for each payer: two little-endian 32-bit lengths, the bytes of the HTTP request, those of the Access-Request. The
 * Access-Request of number n has the identifier n modulo 256. For each, in order, a line goes to standard output: milliseconds from the
 * moment it was due to the answer of the webhook and to the Access-Accept, or -1, and 1 where the notice was taken.
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

enum { connections_max = 512, sockets = 32, identifiers = 256, answer_bytes_max = 4096, patience_seconds = 10 };

struct payer {
  const char *request;
  const uint8_t *question;
  uint32_t request_bytes, question_bytes;
  uint64_t due, answered, accepted;
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
  payers = calloc(size / 8 + 1, sizeof *payers);
  for (size_t at = 0; at < size;) {
    struct payer *payer = &payers[payer_count++];
    memcpy(&payer->request_bytes, bytes + at, 4);
    memcpy(&payer->question_bytes, bytes + at + 4, 4);
    payer->request = (const char *)bytes + at + 8;
    payer->question = bytes + at + 8 + payer->request_bytes;
    at += 8 + payer->request_bytes + payer->question_bytes;
  }
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

static struct connection *free_connection(void) {
  if (idle_count > 0) return idle[--idle_count];
  if (connection_count == connections_max) return NULL;
  struct connection *connection = &connections[connection_count];
  struct sockaddr_in to = {
      .sin_family = AF_INET, .sin_port = htons(http_port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  connection->descriptor = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(connection->descriptor, (struct sockaddr *)&to, sizeof to) < 0) fail("connect");
  int on = 1;
  setsockopt(connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  watch(connection->descriptor, sockets + connection_count++);
  return connection;
}

/* A request fits into the buffer of a socket of this machine. */
static void tell(struct connection *connection, struct payer *payer) {
  connection->payer = payer;
  connection->received = 0;
  ssize_t sent = send(connection->descriptor, payer->request, payer->request_bytes, MSG_NOSIGNAL);
  if (sent != (ssize_t)payer->request_bytes) fail("send");
}

static void ask(struct payer *payer) {
  uint32_t number = (uint32_t)(payer - payers);
  uint32_t socket_number = number / identifiers % sockets;
  asking[socket_number][number % identifiers] = payer;
  if (send(radius[socket_number], payer->question, payer->question_bytes, 0) < 0) fail("send of an Access-Request");
}

static bool is_taken(const char *answer, const char *body) {
  if (strncmp(answer, "HTTP/1.1 200", 12) != 0) return false;
  return strncmp(body, "OK\n", 3) == 0 || strncmp(body, "WMI_RESULT=OK", 13) == 0;
}

static void take_http(struct connection *connection) {
  ssize_t count = recv(connection->descriptor, connection->answer + connection->received,
                       answer_bytes_max - 1 - connection->received, MSG_DONTWAIT);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) fail("the webhook closed the connection");
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
  idle[idle_count++] = connection;
  if (payer->taken) ask(payer);
  else finished++;
}

static void take_radius(int socket_number) {
  uint8_t answer[answer_bytes_max];
  ssize_t count;
  while ((count = recv(radius[socket_number], answer, sizeof answer, 0)) > 0) {
    struct payer *payer = asking[socket_number][answer[1]];
    if (!payer) continue;
    asking[socket_number][answer[1]] = NULL;
    /* 2 is Access-Accept; a reject after the answer to the webhook is a fault. */
    if (answer[0] == 2) payer->accepted = clock_now();
    finished++;
  }
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
  if (count != 6) {
    fprintf(stderr, "payment-load <file> <http port> <RADIUS port> <NAS address> <rate>\n");
    return 2;
  }
  read_payers(words[1]);
  http_port = (uint16_t)atoi(words[2]);
  events = epoll_create1(0);
  open_radius((uint16_t)atoi(words[3]), words[4]);
  /* Else the kernel rounds the pauses up by fifty microseconds. */
  prctl(PR_SET_TIMERSLACK, 1);
  /* Who measures waits must not wait itself behind what it measures; without the right to it, it does. */
  setpriority(PRIO_PROCESS, 0, -20);
  drive(atof(words[5]));
  for (uint32_t i = 0; i < payer_count; i++)
    printf("%.3f %.3f %d\n", milliseconds(payers[i].due, payers[i].answered),
           milliseconds(payers[i].due, payers[i].accepted), payers[i].taken);
  return 0;
}

/*
 * Thousands of WebSockets in one thread with epoll: opens them, answers pings, and tells when those who wait have a frame.
 *
 *   live-load PORT PATH HEADERS TYPE [MESSAGE]
 *
 * HEADERS is a file; each line is a header that makes one socket, its proof of who it is. MESSAGE is sent by each once it is open.
 * When every socket has had its first frame, `open SECONDS` goes out. From then on stdin is read by lines: `wait FROM COUNT` is
 * answered by `armed`, and when each of those sockets has had a frame of TYPE since, by `seen FIRST LAST`, microseconds of the
 * epoch at which the first and the last of them was read. The end of stdin ends it; a socket that the server closes is a failure.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { openingMax = 250, keptBytes = 48, readBytes = 256 * 1024, lineBytes = 4096 };
enum State { asking, inHeader, inPayload };

typedef struct {
  int fd;
  enum State state;
  char *header;
  unsigned char head[14];
  int headBytes, endsFound, isWaited, hasFirst;
  uint64_t left;
  int opcode, keptCount;
  char kept[keptBytes];
} Socket;

static Socket *sockets;
static int socketCount, opened, openedFirst, waiting;
static const char *port, *path, *message;
static char beginning[keptBytes];
static uint64_t firstUs, lastUs;
static int epoll;

static void fail(const char *what) {
  fprintf(stderr, "live-load: %s: %s\n", what, strerror(errno));
  exit(1);
}

static uint64_t nowUs(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000ULL + (uint64_t)now.tv_nsec / 1000;
}

static void sendAll(Socket *socket, const void *bytes, size_t count) {
  if (write(socket->fd, bytes, count) != (ssize_t)count) fail("a socket took no more");
}

/* Client frames are masked; a mask of zeros leaves the payload as it is. */
static void sendFrame(Socket *socket, int opcode, const char *payload, size_t bytes) {
  unsigned char frame[lineBytes];
  size_t at = 0;
  frame[at++] = (unsigned char)(0x80 | opcode);
  if (bytes < 126) frame[at++] = (unsigned char)(0x80 | bytes);
  else {
    frame[at++] = 0x80 | 126;
    frame[at++] = (unsigned char)(bytes >> 8);
    frame[at++] = (unsigned char)bytes;
  }
  memset(frame + at, 0, 4);
  at += 4;
  memcpy(frame + at, payload, bytes);
  sendAll(socket, frame, at + bytes);
}

static void openNext(void) {
  Socket *one = &sockets[opened++];
  struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  one->fd = socket(AF_INET, SOCK_STREAM, 0);
  int on = 1;
  setsockopt(one->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (one->fd < 0 || connect(one->fd, (struct sockaddr *)&server, sizeof server) < 0) fail("connect");
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = one};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, one->fd, &event) < 0) fail("epoll");
  char request[lineBytes];
  int length = snprintf(request, sizeof request,
                        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n\r\n",
                        path, port, one->header);
  sendAll(one, request, (size_t)length);
}

static void frameEnds(Socket *one) {
  one->state = inHeader;
  one->headBytes = 0;
  if (one->opcode == 8) {
    int code = one->keptCount < 2 ? 1005 : (unsigned char)one->kept[0] << 8 | (unsigned char)one->kept[1];
    fprintf(stderr, "live-load: the server closed socket %ld with %d %s\n", (long)(one - sockets), code,
            one->keptCount < 2 ? "" : one->kept + 2);
    exit(1);
  }
  if (one->opcode == 9) sendFrame(one, 10, one->kept, (size_t)one->keptCount);
  if (one->opcode != 1) return;
  if (!one->hasFirst) {
    one->hasFirst = 1;
    openedFirst++;
    if (opened < socketCount) openNext();
    return;
  }
  if (!one->isWaited || strncmp(one->kept, beginning, strlen(beginning)) != 0) return;
  one->isWaited = 0;
  waiting--;
  lastUs = nowUs(CLOCK_REALTIME);
  if (firstUs == 0) firstUs = lastUs;
  if (waiting > 0) return;
  printf("seen %llu %llu\n", (unsigned long long)firstUs, (unsigned long long)lastUs);
  fflush(stdout);
}

/* The header of a frame is 2 bytes and those of a longer length; the server masks nothing. */
static void headerByte(Socket *one, unsigned char byte) {
  one->head[one->headBytes++] = byte;
  if (one->headBytes < 2) return;
  int length = one->head[1] & 0x7f;
  int more = length == 126 ? 2 : length == 127 ? 8 : 0;
  if (one->headBytes < 2 + more) return;
  one->left = more == 0 ? (uint64_t)length : 0;
  for (int index = 0; index < more; index++) one->left = one->left << 8 | one->head[2 + index];
  one->opcode = one->head[0] & 0x0f;
  one->keptCount = 0;
  one->state = inPayload;
  if (one->left == 0) frameEnds(one);
}

static void take(Socket *one, const unsigned char *bytes, size_t count) {
  for (size_t at = 0; at < count;) {
    if (one->state == asking) {
      // The end of the answer's header: CR LF CR LF.
      unsigned char byte = bytes[at++];
      if (one->keptCount < keptBytes - 1) one->kept[one->keptCount++] = (char)byte;
      one->endsFound = byte == (one->endsFound % 2 == 0 ? '\r' : '\n') ? one->endsFound + 1 : byte == '\r' ? 1 : 0;
      if (one->endsFound < 4) continue;
      if (strncmp(one->kept, "HTTP/1.1 101", 12) != 0) {
        fprintf(stderr, "live-load: refused: %.12s\n", one->kept);
        exit(1);
      }
      one->state = inHeader;
      if (message) sendFrame(one, 1, message, strlen(message));
    } else if (one->state == inHeader) headerByte(one, bytes[at++]);
    else {
      size_t here = count - at < one->left ? count - at : (size_t)one->left;
      for (size_t index = 0; index < here && one->keptCount < keptBytes - 1; index++) one->kept[one->keptCount++] = (char)bytes[at + index];
      one->kept[one->keptCount] = 0;
      at += here;
      one->left -= here;
      if (one->left == 0) frameEnds(one);
    }
  }
}

static void readHeaders(const char *file) {
  FILE *lines = fopen(file, "r");
  if (!lines) fail(file);
  char line[lineBytes];
  while (fgets(line, sizeof line, lines)) {
    line[strcspn(line, "\n")] = 0;
    sockets = realloc(sockets, sizeof *sockets * (size_t)(socketCount + 1));
    sockets[socketCount++] = (Socket){.header = strdup(line)};
  }
  fclose(lines);
}

/* 0: the input has ended. */
static int obey(void) {
  char text[lineBytes];
  ssize_t got = read(STDIN_FILENO, text, sizeof text - 1);
  if (got <= 0) return 0;
  text[got] = 0;
  int from, count;
  if (sscanf(text, "wait %d %d", &from, &count) != 2 || from < 0 || count < 1 || from + count > socketCount) fail("a wrong command");
  firstUs = 0;
  waiting = count;
  for (int index = from; index < from + count; index++) sockets[index].isWaited = 1;
  puts("armed");
  fflush(stdout);
  return 1;
}

int main(int count, char **words) {
  if (count < 5) {
    fprintf(stderr, "live-load PORT PATH HEADERS TYPE [MESSAGE]\n");
    return 2;
  }
  port = words[1];
  path = words[2];
  readHeaders(words[3]);
  snprintf(beginning, sizeof beginning, "{\"type\":\"%s\"", words[4]);
  message = count > 5 ? words[5] : NULL;
  epoll = epoll_create1(0);
  struct epoll_event input = {.events = EPOLLIN, .data.ptr = NULL};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, STDIN_FILENO, &input) < 0) fail("stdin");
  uint64_t beganUs = nowUs(CLOCK_MONOTONIC);
  for (int index = 0; index < openingMax && opened < socketCount; index++) openNext();
  static unsigned char bytes[readBytes];
  struct epoll_event events[1024];
  for (int isTold = 0;;) {
    int ready = epoll_wait(epoll, events, 1024, 1000);
    for (int index = 0; index < ready; index++) {
      Socket *one = events[index].data.ptr;
      if (!one) {
        if (!obey()) return 0;
        continue;
      }
      ssize_t got = read(one->fd, bytes, sizeof bytes);
      if (got == 0) {
        fprintf(stderr, "live-load: the connection of socket %ld ended %s\n", (long)(one - sockets),
                one->state == asking ? "before it was a WebSocket" : "without a close frame");
        exit(1);
      }
      if (got < 0) fail("read");
      take(one, bytes, (size_t)got);
    }
    if (!isTold && openedFirst == socketCount) {
      isTold = 1;
      printf("open %.3f\n", (double)(nowUs(CLOCK_MONOTONIC) - beganUs) / 1e6);
      fflush(stdout);
    }
  }
}

/**
 * A bound UDP socket as a RADIUS worker uses it: datagrams come in batches, answers are queued and leave together. A
 * datagram is described by eight words of an Int32Array, received and sent alike.
 */
export const datagramWords = 8
/** Where each word stands; the address takes four of them. */
export const datagramWord = {
  /** Where its bytes begin in the buffer. */
  offset: 0,
  length: 1,
  port: 2,
  /** Of a link-local address; only good to be given back. */
  scope: 3,
  /** Sixteen bytes as they go on the wire, IPv4 as ::ffff:a.b.c.d (RFC 4291 section 2.5.5.2). */
  address: 4,
} as const

/** Who takes what arrives. Neither method may throw. */
export type UdpListener = {
  /** `count` datagrams stand in `bytes` and `received`, until the method returns. */
  readonly datagrams: (port: UdpPort, count: number) => void
  /** So many answers could not be sent: the network refused them, or a NAS that is gone answered with ICMP. */
  readonly notSent: (count: number) => void
}

export type UdpOptions = {
  /** An address, not a name. */
  host: string
  /** 0 takes a free one. */
  port: number
  /** Several sockets of the same user may have the port (SO_REUSEPORT). */
  sharesPort: boolean
  /** Answers stand here until they are flushed. */
  output: Buffer
  listener: UdpListener
}

/**
 * Many digests at a time (radius-digests.h); a processor does eight or sixteen MD5 at once in the time of one or two.
 */
export interface Digester {
  /** The prepared secrets that the keys of jobs and answers name (SharedSecret.writeKey). */
  keys: Uint8Array
  /** Sixteen bytes twice for each job: what PacketView.precomputed means. */
  readonly results: Uint8Array
  /** One more request of `bytes`; returns where its results will stand. */
  add(offset: number, length: number, key: number, signatureAt: number, kind: number): number
  run(): void
}

/** What else is to be worked out for a request. */
export const digestKinds = { none: 0, passwordMask: 1, requestAuthenticator: 2 } as const

export interface UdpPort {
  /** The bytes of the datagrams last received. */
  readonly bytes: Buffer
  /** Their descriptions, one after another. */
  readonly received: Int32Array
  /** The port bound. */
  readonly number: number
  /** Works out the digests of a batch and signs answers; null where each packet is left to itself. */
  readonly digester: Digester | null
  /**
   * Queues output[at..at + length) for the source described from `source[sourceAt]` on. The bytes must stay until the
   * next flush, which signs them first when `key` names a prepared secret.
   */
  queue(at: number, length: number, source: Int32Array, sourceAt: number, key?: number, signatureAt?: number): void
  /** Sends what is queued. */
  flush(): void
  /** Takes no more datagrams; answers may still be sent. */
  stopReceiving(): void
  close(): void
}

/** The kernel's limit may be lower (net.core.rmem_max). */
export const receiveBufferBytes = 1 << 22

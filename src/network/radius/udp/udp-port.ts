/**
 * A bound UDP socket as RADIUS uses it: datagrams come in batches, answers are queued and leave together. A
 * datagram is described by twelve words of an Int32Array, received and sent alike.
 */
export const datagramWords = 12
/** The index of each word; an address takes four of them. */
export const datagramWord = {
  /** The offset of its bytes in the buffer. */
  offset: 0,
  length: 1,
  port: 2,
  /** The scope of a link-local address, which is only copied to the answer. */
  scope: 3,
  /** Sixteen bytes as they go on the wire, IPv4 as ::ffff:a.b.c.d (RFC 4291 section 2.5.5.2). */
  address: 4,
  /**
   * Our own address that was asked and from which the answer leaves, in the same form. :: on a socket that is bound to
   * one address, and where the system did not report it; then the system chooses.
   */
  local: 8,
} as const
export const addressWords = 4

/** Handles what arrives. Neither method may throw. */
export type UdpListener = {
  /** `bytes` and `received` hold `count` datagrams until the method returns. */
  readonly datagrams: (port: UdpPort, count: number) => void
  /** `count` answers could not be sent: the network refused them, or a NAS that is gone answered with ICMP. */
  readonly notSent: (count: number) => void
}

export type UdpOptions = {
  /** An IP address, not a name. */
  host: string
  /** 0 chooses a free port. */
  port: number
  /** Several sockets of the same user may share the port (SO_REUSEPORT). */
  sharesPort: boolean
  /** The buffer that holds answers until they are flushed. */
  output: Buffer
  /** Tells when each datagram arrived (UdpPort.arrivedMs). */
  stamps?: boolean
  listener: UdpListener
}

/**
 * Computes many digests at once (radius-digests.h): a processor does 8 or 16 MD5 in parallel in the time of one or two.
 */
export interface Digester {
  /** The prepared secrets that the keys of jobs and answers name (SharedSecret.writeKey). */
  keys: Uint8Array
  /** Two digests of 16 bytes for each job, as PacketView.precomputed describes them. */
  readonly results: Uint8Array
  /**
   * Adds a request at `bytes[offset]`; returns the offset of its digests in `results`. `kind` is one of digestKinds.
   */
  add(offset: number, length: number, key: number, signatureAt: number, kind: number): number
  run(): void
}

/** What is computed for a request besides its Message-Authenticator. */
export const digestKinds = { none: 0, passwordMask: 1, requestAuthenticator: 2 } as const

export interface UdpPort {
  /** The bytes of the datagrams last received. */
  readonly bytes: Buffer
  /** Their descriptions, one after another. */
  readonly received: Int32Array
  /**
   * When each of them arrived, however late it is read, in milliseconds of `steadyMs`; empty on a port that was opened
   * without `stamps`.
   */
  readonly arrivedMs: Float64Array
  /** The port bound. */
  readonly number: number
  /** Computes the digests of a batch and signs answers; null where each packet is handled by itself. */
  readonly digester: Digester | null
  /**
   * Queues output[at..at + length) for the source that is described from `source[sourceAt]` on. The bytes must stay
   * unchanged until the next flush, which first signs them when `key` names a prepared secret. After a close it does
   * nothing: a record may become durable when nobody may wait for it any longer.
   */
  queue(at: number, length: number, source: Int32Array, sourceAt: number, key?: number, signatureAt?: number): void
  /** Sends what is queued. */
  flush(): void
  /** Receives no more datagrams; answers may still be sent. */
  stopReceiving(): void
  close(): void
}

/** The kernel's limit may be lower (net.core.rmem_max). */
export const receiveBufferBytes = 1 << 22

import { addressWords, datagramWord } from '../udp/udp-port.ts'
import { formatAddress, isLinkLocal } from '../wire/address.ts'
import type { NasHeard } from './messages.ts'
import type { KnownNas } from './signature-rules.ts'

/** A NAS that goes back and forth between two addresses or secrets is reported this often. */
export const noticeEveryMs = 60_000

/** What the packets of a NAS tell beside their question. The main thread is told what is new, which is rare. */
export class NasNotices {
  readonly #post: (heard: NasHeard, edition: number) => void
  readonly #dayTimeMs: () => number

  constructor(post: (heard: NasHeard, edition: number) => void, dayTimeMs = () => Date.now()) {
    this.#post = post
    this.#dayTimeMs = dayTimeMs
  }

  /** The NAS asked our address that is described from words[at] on. */
  asked(nas: KnownNas, words: Int32Array, at: number): void {
    const { record, asked } = nas
    const local = at + datagramWord.local
    if (
      words[local + 3] === asked[3] &&
      words[local + 2] === asked[2] &&
      words[local + 1] === asked[1] &&
      words[local] === asked[0]
    )
      return
    // On a socket that is bound to one address no datagram tells it, however often it comes.
    if ((words[local]! | words[local + 1]! | words[local + 2]! | words[local + 3]!) === 0) return
    const nowMs = this.#dayTimeMs()
    if (nowMs - nas.askedAtMs < noticeEveryMs) return
    const address = new Uint8Array(words.buffer, words.byteOffset + local * 4, addressWords * 4)
    if (isLinkLocal(address)) return
    nas.askedAtMs = nowMs
    this.#post({ kind: 'asked', nasId: record.id, address: formatAddress(address), atMs: nowMs }, record.edition)
  }

  /** The NAS proved `nas.secret` while its secret is being changed. */
  proved({ record, usesNext, provedAtMs }: KnownNas): void {
    const which = usesNext ? 1 : 0
    const atMs = this.#dayTimeMs()
    if (atMs - provedAtMs[which]! < noticeEveryMs) return
    provedAtMs[which] = atMs
    this.#post({ kind: 'proved', nasId: record.id, usesNext, atMs }, record.edition)
  }
}

import type { BlockHolder } from './block-table.ts'
import type { Lease } from './pool-layout.ts'
import type { Block } from './pools.ts'

/** What programs that share pools tell each other. A message that is lost is sent again, or can be done without. */
export type BlockMessage =
  /** The sender has just started, so it has missed which addresses in blocks of others are offered. */
  | { readonly kind: 'hello' }
  /** The sender has only `free` addresses of this pool left and asks for more. `refuses`: it had none for a login. */
  | { readonly kind: 'wish'; readonly pool: Block; readonly free: number; readonly refuses: boolean }
  /** The sender has given blocks to the node `to`. */
  | { readonly kind: 'gift'; readonly to: number }
  /** The sender has given blocks back, which anybody may take. */
  | { readonly kind: 'free' }
  /** The sender has offered these addresses in blocks of others: address, login and station of each offer. */
  | { readonly kind: 'offers'; readonly offers: readonly (readonly [number, number, number])[] }

export type SentMessage = BlockMessage & { readonly from: BlockHolder }

/** Carries messages to all nodes, this one included, by notifications of the database. */
export type MessageChannel = {
  readonly tell: (payload: string) => Promise<void>
  readonly on: (listener: (payload: string) => void) => () => void
}

/** A notification of PostgreSQL takes 8,000 octets. */
const offersMax = 150

export class BlockMessages {
  readonly #channel: MessageChannel
  readonly #from: BlockHolder

  constructor(channel: MessageChannel, from: BlockHolder) {
    this.#channel = channel
    this.#from = from
  }

  async tell(message: BlockMessage): Promise<void> {
    await this.#channel.tell(JSON.stringify({ ...message, from: this.#from }))
  }

  async tellOffers(leases: readonly Lease[]): Promise<void> {
    const offers = leases.map(({ address, loginId, station }) => [address, loginId, station] as const)
    for (let at = 0; at < offers.length; at += offersMax)
      await this.tell({ kind: 'offers', offers: offers.slice(at, at + offersMax) })
  }

  /** Calls the listener with each message of another program. */
  on(listener: (message: SentMessage) => void): () => void {
    return this.#channel.on((payload) => {
      const message = JSON.parse(payload) as SentMessage
      if (message.from.folder !== this.#from.folder) listener(message)
    })
  }
}

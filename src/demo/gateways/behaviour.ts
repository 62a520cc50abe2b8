/** How a simulated gateway behaves. It behaves correctly until it is set otherwise. */
export type Behaviour = {
  /** How many copies of each notice are sent at once. */
  repeats: number
  /** How many forged notices come with each notice, with other sums and wrong signatures. */
  forged: number
  /** The final notice is sent before the others. */
  wrongOrder: boolean
  /** Notices name another sum than the order. */
  wrongSum: boolean
  /** The payment is taken, and no notice is sent. */
  silent: boolean
  /** How creations are answered; `lost`: the payment is made, but the answer is an error. */
  creation: 'fine' | 'error' | 'lost' | 'refused' | 'silence' | 'garbage'
  /** How refunds are answered; `lost` and `silence`: the refund is made, but there is no such answer. */
  refunding: 'fine' | 'pending' | 'canceled' | 'error' | 'unauthorized' | 'lost' | 'refused' | 'silence' | 'garbage'
  /** How a payment is shown when it is read back. */
  reading: 'fine' | 'error' | 'missing' | 'pending' | 'otherSum'
  /** How often a notice that was not accepted is sent again, each time after `retryMs`. */
  retries: number
  retryMs: number
}

export const goodBehaviour: Behaviour = {
  repeats: 1,
  forged: 0,
  wrongOrder: false,
  wrongSum: false,
  silent: false,
  creation: 'fine',
  refunding: 'fine',
  reading: 'fine',
  retries: 3,
  retryMs: 1_000,
}

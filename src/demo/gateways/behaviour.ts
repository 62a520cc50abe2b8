/** How a simulated gateway behaves. It behaves correctly until it is set otherwise. */
export type Behaviour = {
  /** Each notice is sent so many times, all at once. */
  repeats: number
  /** With each notice come so many that somebody else has made up: other sums, wrong signatures. */
  forged: number
  /** What should come last comes first. */
  wrongOrder: boolean
  /** Tells of another sum than the client was asked for. */
  wrongSum: boolean
  /** Takes the money and tells nobody. */
  silent: boolean
  /** How creations are answered; `lost`: the payment is made, but the answer is an error. */
  creation: 'fine' | 'error' | 'lost' | 'refused' | 'silence' | 'garbage'
  /** How a payment is shown when it is read back. */
  reading: 'fine' | 'error' | 'missing' | 'pending' | 'otherSum'
  /** A notice that was not accepted is sent again so often, after `retryMs` each time. */
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
  reading: 'fine',
  retries: 3,
  retryMs: 1_000,
}

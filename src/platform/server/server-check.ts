/** One need of the program towards a PostgreSQL of the operator's own. */
export type ServerCheck = {
  readonly name: string
  /** `fail`: the program must not work on this server; `warn`: it can, at a price. */
  readonly state: 'ok' | 'warn' | 'fail'
  /** What was found, and what to do about it. */
  readonly sentence: string
}

/** One need of the program towards a PostgreSQL of the operator's own. */
export type ServerCheck = {
  readonly name: string
  /** `fail`: the program must not work on this server; `warn`: it can, at a price. */
  readonly state: 'ok' | 'warn' | 'fail'
  /** What was found, and what to do about it. */
  readonly sentence: string
  /** The same in Russian, for the console. */
  readonly russian: string
}

const checkOf =
  (state: ServerCheck['state']) =>
  (name: string, sentence: string, russian: string): ServerCheck => ({ name, state, sentence, russian })

export const ok = checkOf('ok')
export const warn = checkOf('warn')
export const fail = checkOf('fail')

import { macOf, type Subscriber } from './database.ts'

export type SignIn = {
  readonly at: number
  /** Whether it is to be accepted. */
  readonly isRight: boolean
  /** As radclient reads it. */
  readonly lines: readonly string[]
}

/** Sign-ins of those who are in no debt, by every method that their password allows, and of some who are not known. */
export const signInsOf = (subscribers: readonly Subscriber[]): SignIn[] =>
  subscribers.flatMap(({ username, password, stored, balance, isDisabled }, at) => {
    if (balance < 0) return []
    const methods = stored === 'clear' ? ['CHAP-Password', 'MS-CHAP-Password', 'User-Password'] : ['User-Password']
    const isWrong = at % 7 === 6
    const login = at % 25 === 24 ? `nobody${at}` : username
    const lines = [
      `User-Name = "${login}"`,
      `${methods[Math.floor(at / 6) % methods.length]} = "${isWrong ? 'wrong' : password}"`,
      `Calling-Station-Id = ${macOf(at)}`,
      'Message-Authenticator = 0x00',
    ]
    return [{ at, isRight: login === username && !isWrong && !isDisabled, lines }]
  })

/** A file for `radclient -f`. */
export const radclientFile = (signIns: readonly SignIn[]): string =>
  signIns.map(({ lines }) => `${lines.join('\n')}\n`).join('\n')

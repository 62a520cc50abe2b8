/**
 * The program cannot do this now and may be asked again: database away, mailbox full, deadline passed, stopping. HTTP
 * 503.
 */
export class Unavailable extends Error {
  readonly reason: 'database' | 'mailboxFull' | 'deadline' | 'stopping'

  constructor(reason: Unavailable['reason'], message: string) {
    super(message)
    this.name = 'Unavailable'
    this.reason = reason
  }
}

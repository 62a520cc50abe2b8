import { DeadlinePassed, Stopping } from '../../platform/actors/directory.ts'
import { MailboxFull } from '../../platform/actors/mailbox.ts'
import { Unavailable } from '../../platform/unavailable.ts'

/**
 * Translates a refusal of the directory of actors, which imports nothing of ours, into the error that becomes an HTTP
 * 503. Null for whatever the turn itself has thrown.
 */
export function asUnavailableTurn(error: unknown): Unavailable | null {
  if (error instanceof MailboxFull) return new Unavailable('mailboxFull', error.message)
  if (error instanceof DeadlinePassed) return new Unavailable('deadline', error.message)
  if (error instanceof Stopping) return new Unavailable('stopping', error.message)
  return null
}

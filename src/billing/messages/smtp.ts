import { createTransport, type NodemailerError } from 'nodemailer'
import { beginningOf } from './http-answer.ts'
import { type Provider, type SendOutcome, sendTimeoutMs } from './message.ts'

export type SmtpOptions = {
  /** smtp://user:password@host:587 (STARTTLS where it is offered) or smtps://…:465. */
  readonly url: string
  /** `Provider <billing@isp.example>`. */
  readonly from: string
}

/** Connections kept open to one server. */
const connections = 2

/** E-mail by SMTP. */
export function smtp({ url, from }: SmtpOptions): Provider {
  const transport = createTransport({
    pool: true,
    maxConnections: connections,
    url,
    connectionTimeout: sendTimeoutMs,
    greetingTimeout: sendTimeoutMs,
    socketTimeout: sendTimeoutMs,
    // Texts are ours, and still nothing a subscriber typed may make nodemailer open a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = /@([\w.-]+)/.exec(from)?.[1] ?? 'tollgate'
  return {
    channel: 'email',
    async send({ id, to, title, text }, stopping) {
      const late = AbortSignal.timeout(sendTimeoutMs)
      try {
        await transport.sendMail({
          from,
          // As a value of its own, so that a comma in it makes no second recipient.
          to: { name: '', address: to },
          subject: title,
          text,
          // The same when it is sent again, so that mail servers and readers can see it.
          messageId: `<tollgate-${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.any([stopping, late]),
        })
        return { kind: 'sent' }
      } catch (error) {
        return outcomeOf(error)
      }
    },
    close: () => transport.close(),
  }
}

/**
 * A mailbox or a message that is refused for good. A refused sign-in or sender may be mended while the message waits.
 */
function outcomeOf(error: unknown): SendOutcome {
  const { code, response, permanent, command, originalCode } = error as NodemailerError
  if (permanent !== undefined) {
    const reason = `The mail server answered ${beginningOf(response ?? '')}`
    const isOfMessage = (code === 'EENVELOPE' && command !== 'MAIL FROM') || code === 'EMESSAGE'
    return permanent && isOfMessage ? { kind: 'refused', reason } : { kind: 'retryLater', reason }
  }
  if (code === 'EENVELOPE') return { kind: 'refused', reason: 'It is not an e-mail address.' }
  return { kind: 'retryLater', reason: `The mail server was not reached: ${originalCode ?? code ?? 'no answer'}.` }
}

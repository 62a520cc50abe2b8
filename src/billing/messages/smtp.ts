import type { Socket } from 'node:net'
import type { NodemailerError } from 'nodemailer'
import type { SubscriberId } from '../../domain/ids.ts'
import { type Destinations, PrivateDestination } from '../../platform/outgoing/destinations.ts'
import { beginningOf } from './http-answer.ts'
import { type Provider, type SendOutcome, sendTimeoutMs } from './message.ts'
import { latePackages } from '../../platform/late-packages.ts'

export type SmtpOptions = {
  /** `smtp://user:password@host:587` (STARTTLS where the server offers it) or `smtps://…:465`. */
  readonly url: string
  /** The sender, such as `Provider <billing@isp.example>`. */
  readonly from: string
}

export type OptOutLink = (id: SubscriberId) => string | null

/** As nodemailer names it. */
type SmtpServer = { host?: string | undefined; port?: number | string | undefined; secure?: boolean | undefined }
type OnSocket = (error: Error | null, socket?: { connection: Socket }) => void

const oneClick = 'List-Unsubscribe=One-Click'
/** Connections kept open to one server. */
const connections = 2

/**
 * E-mail by SMTP. nodemailer is loaded with the first message: most programs send none. Mail programs show the link of
 * `optOutLink` as a button beside a mailing (RFC 2369 and 8058); null: there is none that they could call.
 */
export function smtp(options: SmtpOptions, destinations: Destinations, optOutLink: OptOutLink = () => null): Provider {
  let opened: ReturnType<typeof openTransport> | null = null
  const { from } = options
  const domain = /@([\w.-]+)/.exec(from)?.[1] ?? 'tollgate'
  return {
    channel: 'email',
    async send({ id, to, title, text, mailingTo }, stopping) {
      const link = mailingTo === null ? null : optOutLink(mailingTo)
      const timeout = AbortSignal.timeout(sendTimeoutMs)
      try {
        opened ??= openTransport(options, destinations)
        const transport = await opened
        await transport.sendMail({
          from,
          // Given as an object, because a comma in a string would make a second recipient.
          to: { name: '', address: to },
          subject: title,
          text,
          // It stays the same when the message is sent again, so that servers and mail clients recognize the duplicate.
          messageId: `<tollgate-${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated', ...(link && { 'List-Unsubscribe-Post': oneClick }) },
          ...(link && { list: { unsubscribe: link } }),
          signal: AbortSignal.any([stopping, timeout]),
        })
        return { kind: 'sent' }
      } catch (error) {
        return outcomeOf(error)
      }
    },
    close: () => {
      void opened?.then((transport) => transport.close())
    },
  }
}

async function openTransport({ url }: SmtpOptions, destinations: Destinations) {
  const { createTransport } = await latePackages.nodemailer()
  return createTransport({
    pool: true,
    maxConnections: connections,
    url,
    connectionTimeout: sendTimeoutMs,
    // nodemailer would resolve the name itself and connect to whatever it means.
    getSocket: ({ host = '', port, secure }: SmtpServer, callback: OnSocket) => {
      destinations
        .connect(host, Number(port ?? (secure ? 465 : 587)), sendTimeoutMs)
        .then((connection) => callback(null, { connection }), callback)
    },
    greetingTimeout: sendTimeoutMs,
    socketTimeout: sendTimeoutMs,
    // Nothing that a subscriber typed may make nodemailer open a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/**
 * Only a recipient or a message that the server rejects permanently is final. An operator may fix a rejected sign-in or
 * sender while the message waits.
 */
function outcomeOf(error: unknown): SendOutcome {
  if (error instanceof PrivateDestination) return { kind: 'retryLater', reason: error.message }
  const { code, response, permanent, command, originalCode } = error as NodemailerError
  if (permanent !== undefined) {
    const reason = `The mail server answered ${beginningOf(response ?? '')}`
    const isOfMessage = (code === 'EENVELOPE' && command !== 'MAIL FROM') || code === 'EMESSAGE'
    return permanent && isOfMessage ? { kind: 'refused', reason } : { kind: 'retryLater', reason }
  }
  if (code === 'EENVELOPE') return { kind: 'refused', reason: 'It is not an e-mail address.' }
  return { kind: 'retryLater', reason: `The mail server was not reached: ${originalCode ?? code ?? 'no answer'}.` }
}

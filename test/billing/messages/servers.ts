import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Test = { teardown(deed: () => unknown): unknown }

export type Asked = { method: string; path: string; headers: IncomingHttpHeaders; body: string }
export type Said = { status?: number; body?: string; headers?: Record<string, string> } | 'silence'

/** A provider on a free port that answers as it is told and remembers what it was asked. */
export class WebProvider {
  readonly asked: Asked[] = []
  answer: (asked: Asked) => Said | Promise<Said> = () => ({})
  url = ''
  #watchers: (() => void)[] = []

  static async start(t: Test): Promise<WebProvider> {
    const provider = new WebProvider()
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const asked = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
      provider.asked.push(asked)
      for (const look of provider.#watchers.splice(0)) look()
      const said = await provider.answer(asked)
      if (said === 'silence') return
      response.writeHead(said.status ?? 200, said.headers).end(said.body ?? '')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    return provider
  }

  /** Resolves when it has been asked so often. */
  async askedTimes(count: number): Promise<void> {
    while (this.asked.length < count) await new Promise<void>((resolve) => this.#watchers.push(resolve))
  }
}

/** FCM and the token service of Google in one, and a service account that they know. */
export class FcmProvider {
  readonly web: WebProvider
  readonly credentialsFile: string
  readonly publicKey: string
  tokens = 0
  /** What becomes of a message. */
  answer: (token: string, asked: Asked) => Said = () => ({ body: '{"name": "projects/isp/messages/1"}' })
  tokenAnswer: () => Said = () => ({
    body: JSON.stringify({ access_token: `access-${this.tokens}`, expires_in: 3600 }),
  })

  static async start(t: Test): Promise<FcmProvider> {
    const web = await WebProvider.start(t)
    return new FcmProvider(t, web)
  }

  private constructor(t: Test, web: WebProvider) {
    this.web = web
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    this.publicKey = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const dir = mkdtempSync(join(tmpdir(), 'tollgate-fcm-'))
    t.teardown(() => rmSync(dir, { recursive: true }))
    this.credentialsFile = join(dir, 'account.json')
    const account = {
      type: 'service_account',
      project_id: 'isp',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      client_email: 'tollgate@isp.iam.example',
      token_uri: `${web.url}/token`,
    }
    writeFileSync(this.credentialsFile, JSON.stringify(account))
    web.answer = (asked) => {
      if (asked.path === '/token') {
        this.tokens++
        return this.tokenAnswer()
      }
      return this.answer((JSON.parse(asked.body) as { message: { token: string } }).message.token, asked)
    }
  }

  /** Messages it was given, without the questions for tokens. */
  get messages(): Asked[] {
    return this.web.asked.filter(({ path }) => path !== '/token')
  }
}

export type Mail = { from: string; to: string[]; text: string }

/** An SMTP server of the least that a client needs (RFC 5321), which can refuse. */
export class MailServer {
  readonly mails: Mail[] = []
  /** Answers of the server by the verb they answer; absent ones are good. */
  refusals: Partial<Record<'MAIL' | 'RCPT' | 'DATA' | 'AUTH', string>> = {}
  isSilent = false
  url = ''
  readonly signedIn: string[] = []

  static async start(t: Test): Promise<MailServer> {
    const mail = new MailServer()
    const sockets = new Set<Socket>()
    const server = createTcpServer((socket) => {
      sockets.add(socket)
      mail.#talk(socket)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    mail.url = `smtp://sender:pa55word@127.0.0.1:${(server.address() as AddressInfo).port}`
    t.teardown(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    return mail
  }

  #talk(socket: Socket): void {
    if (this.isSilent) return
    let rest = ''
    let inData = false
    let mail: Mail = { from: '', to: [], text: '' }
    const say = (line: string) => socket.write(`${line}\r\n`)
    const take = (line: string) => {
      const verb = line.slice(0, 4).toUpperCase()
      const refusal = this.refusals[verb as keyof typeof this.refusals]
      if (verb === 'EHLO') return say('250-mail.example\r\n250 AUTH PLAIN')
      if (refusal) return say(refusal)
      if (verb === 'AUTH') {
        this.signedIn.push(Buffer.from(line.split(' ')[2] ?? '', 'base64').toString())
        return say('235 welcome')
      }
      if (verb === 'MAIL') mail = { from: line.slice(10), to: [], text: '' }
      if (verb === 'RCPT') mail.to.push(line.slice(8).replace(/[<>]/g, ''))
      if (verb === 'DATA') {
        inData = true
        return say('354 go on')
      }
      if (verb === 'QUIT') {
        say('221 bye')
        return socket.end()
      }
      return say('250 fine')
    }
    say('220 mail.example')
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      rest += chunk
      for (let at = rest.indexOf('\r\n'); at >= 0; at = rest.indexOf('\r\n')) {
        const line = rest.slice(0, at)
        rest = rest.slice(at + 2)
        if (!inData) take(line)
        else if (line === '.') {
          inData = false
          this.mails.push(mail)
          say('250 taken')
        } else mail.text += `${line}\n`
      }
    })
  }
}

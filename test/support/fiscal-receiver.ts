import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A configuration as the dictionary takes it, but for the address of its receiver. */
export const fiscalConfig = {
  name: 'Main registers',
  login: 'shop',
  password: 'secret',
  group_code: 'isp_main',
  inn: '7701234567',
  payment_address: 'https://isp.example',
  company_email: 'receipts@isp.example',
  tax_system: 'osn',
} as const

export type ReceivedReceipt = {
  readonly direction: string
  readonly group: string
  readonly externalId: string
  readonly uuid: string
  /** As it came, so that amounts can be looked at letter by letter. */
  readonly text: string
  readonly total: number
}

/** One answer in place of the honest one; `take` answers honestly but as given. */
export type Mischief = (response: ServerResponse, honest: () => void) => void

/**
 * A fiscal data operator over real HTTP with the manners of ATOL Online: tokens that end, receipts known by group and
 * external id, reports that say wait before done. `misbehave` queues mischief for the next calls of a kind.
 */
export class FiscalReceiver {
  readonly receipts: ReceivedReceipt[] = []
  readonly calls: string[] = []
  readonly texts: string[] = []
  token = 'token-1'
  /** What a report says, by uuid; the usual is done. */
  readonly states = new Map<string, object>()
  readonly #mischief = new Map<string, Mischief[]>()
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  #watchers: (() => void)[] = []
  url = ''

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/possystem/v4`
    return this
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  misbehave(call: 'getToken' | 'sell' | 'sell_refund' | 'report', ...mischief: Mischief[]): void {
    this.#mischief.set(call, [...(this.#mischief.get(call) ?? []), ...mischief])
  }

  count = (call: string): number => this.calls.filter((one) => one === call).length

  /** Resolves after the next call for which `is` holds. */
  async until(is: () => boolean): Promise<void> {
    while (!is()) await new Promise<void>((resolve) => this.#watchers.push(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = (await request.setEncoding('utf8').toArray()).join('')
    const parts = (request.url ?? '').split('/').slice(3)
    const call = parts[0] === 'getToken' ? 'getToken' : parts[1]!
    this.calls.push(call)
    this.texts.push(text)
    const honest = () => {
      if (call === 'getToken') this.#giveToken(response, text)
      else if (request.headers.token !== this.token) fault(response, 401, 11, 'Переданный токен не активен')
      else if (call === 'report') this.#report(response, parts[2]!)
      else this.#take(response, parts[0]!, call, text)
    }
    const mischief = this.#mischief.get(call)?.shift()
    if (mischief) mischief(response, honest)
    else honest()
    for (const wake of this.#watchers.splice(0)) wake()
  }

  #giveToken(response: ServerResponse, text: string): void {
    const { login, pass } = JSON.parse(text) as { login: string; pass: string }
    if (login !== 'shop' || pass !== 'secret') fault(response, 401, 12, 'Неверный логин или пароль')
    else send(response, 200, { error: null, token: this.token, timestamp: '21.11.2026 13:45:00' })
  }

  #take(response: ServerResponse, group: string, direction: string, text: string): void {
    const { external_id: externalId, receipt } = JSON.parse(text) as {
      external_id: string
      receipt: { total: number }
    }
    const known = this.receipts.find((one) => one.externalId === externalId && one.group === group)
    if (known) {
      const error = {
        error_id: 'e',
        code: 33,
        text: `В системе существует чек с external_id : ${externalId}`,
        type: 'system',
      }
      send(response, 400, { uuid: known.uuid, status: 'wait', error, timestamp: 't' })
      return
    }
    const uuid = `00000000-0000-4000-8000-${String(this.receipts.length + 1).padStart(12, '0')}`
    this.receipts.push({ direction, group, externalId, uuid, text, total: receipt.total })
    send(response, 200, { uuid, status: 'wait', error: null, timestamp: '21.11.2026 13:45:01' })
  }

  #report(response: ServerResponse, uuid: string): void {
    const known = this.receipts.find((one) => one.uuid === uuid)
    if (!known) {
      fault(response, 400, 30, `Передан некорректный UUID : "${uuid}"`)
      return
    }
    const state = this.states.get(uuid) ?? {
      status: 'done',
      error: null,
      payload: {
        total: known.total,
        fn_number: '1110000100238211',
        fiscal_document_number: 133,
        fiscal_document_attribute: 3449555941,
      },
    }
    send(response, 200, { uuid, external_id: known.externalId, group_code: known.group, ...state })
  }
}

const send = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

export const fault = (response: ServerResponse, status: number, code: number, text: string): void =>
  send(response, status, { error: { error_id: 'e', code, text, type: 'system' }, status: 'fail', timestamp: 't' })

/** The ways in which it can be unwell. */
export const mischief = {
  serverError: (response) => send(response, 502, '<html>Bad gateway</html>'),
  notJson: (response) => send(response, 200, '<html>Log in to the hotel Wi-Fi</html>'),
  emptyObject: (response) => send(response, 200, {}),
  strangeNumber: (response) => send(response, 200, { uuid: '../../etc', status: 'wait', error: null }),
  hangUp: (response) => response.destroy(),
  silence: () => {},
  halfAnswer: (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' })
    response.write('{"uuid":"')
    response.destroy()
  },
  endless: (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  },
  sendElsewhere: (response) => {
    response.writeHead(307, { Location: 'http://127.0.0.1:1/' })
    response.end()
  },
  tooMany: (response) => send(response, 429, { error: { code: 0, text: 'slow down' } }),
  /** It has taken the receipt, and the answer is lost. */
  takenUnheard: (response, honest) => {
    withoutAnswer(response, honest)
    response.destroy()
  },
} as const satisfies Record<string, Mischief>

/** It has taken the receipt, and nobody hears of it for as long as they care to wait. */
export const takenInSilence: Mischief = (response, honest) => withoutAnswer(response, honest)

function withoutAnswer(response: ServerResponse, honest: () => void): void {
  const { writeHead, end } = response
  Object.assign(response, { writeHead: () => response, end: () => response })
  honest()
  Object.assign(response, { writeHead, end })
}

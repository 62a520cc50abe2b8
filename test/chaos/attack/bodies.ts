import { once } from 'node:events'
import { shortly, within } from '../door.ts'
import { between, chance } from '../plan.ts'
import type { Stage } from '../stage.ts'
import type { Stranger } from './stranger.ts'

const form = 'application/x-www-form-urlencoded'
/** Just below the limit of the largest bodies. */
const bodyBytes = 1_000_000
const filled = (text: string) => text.repeat(Math.floor(bodyBytes / text.length))

/** Path, type and body; each is meant to keep whoever reads it busy. */
const bodies: readonly (readonly [path: string, type: string, body: string])[] = [
  ['/api/', 'text/xml', `<a>${filled('&amp;')}`],
  ['/api/fiscal/', 'text/xml', filled('<a>')],
  ['/api/fiscal/', 'text/xml', `<a ${filled('b="c" ')}`],
  ['/mobile-api/v1/auth/login', 'application/json', filled('[')],
  ['/mobile-api/v1/auth/login', 'application/json', `{"contract":"${filled('x')}","password":"y"}`],
  ['/lk/login/', form, `contract=${filled('%41')}`],
  ['/lk/login/', form, filled('a=1&')],
  ['/admin/', form, `username=${filled('=')}&password=x`],
  ['/rest_api/v2/FinanceOperations/', 'application/json', `{"op_summa":${filled('9')}}`],
  ['/system_api/coa/', 'application/json', filled('{"a":')],
]

/** Requests that a proxy would read otherwise, or that have no end. */
const heads: readonly string[] = [
  'POST /lk/login/ HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 40\r\n\r\n',
  'POST /lk/login/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
  'GET /lk/ HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
  `GET /lk/ HTTP/1.1\r\nHost: x\r\nCookie: ${'a=b; '.repeat(20_000)}\r\n\r\n`,
  `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
]

/** Bodies and heads made to hold up the program, at every interface. None is to be taken. */
export async function sendBodies(stage: Stage, strangers: readonly Stranger[]): Promise<void> {
  const dice = stage.dice('bodies')
  while (!stage.isOver) {
    await stage.whileAttackerRests()
    const from = dice.pick(strangers)
    if (chance(dice, 50)) {
      const [path, type, body] = dice.pick(bodies)
      const answer = await from.ask('POST', path, { 'Content-Type': type }, body)
      if (answer && answer.status < 300)
        stage.book.violate('a hostile body was taken', { path, type, status: answer.status })
    } else {
      const head = dice.pick(heads)
      const socket = from.connect()
      let text = ''
      socket.on('data', (chunk) => (text += String(chunk)))
      socket.write(head)
      await within(
        2_000,
        once(socket, 'close').catch(() => {}),
      )
      socket.destroy()
      if (/^HTTP\/1\.1 2/.test(text)) stage.book.violate('a hostile head was taken', { head: head.slice(0, 100) })
    }
    await shortly(between(dice, 20, 300))
  }
}

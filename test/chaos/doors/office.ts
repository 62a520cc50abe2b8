import { randomBytes } from 'node:crypto'
import { createConnection } from 'node:net'
import { WebSocket } from 'ws'
import { adminPassword } from '../../support/program.ts'
import type { Client } from '../../support/provider.ts'
import { shortly, within } from '../door.ts'
import { answeredNow } from '../losses.ts'
import { between, chance } from '../plan.ts'
import type { Stage } from '../stage.ts'
import { webhookPath } from './gateways.ts'

/** A command without an answer is carried out or given up by then (docs/cluster.md). */
const givenUpMs = 5_000

/**
 * An operator who blocks and unblocks subscribers of his own, so that his last word is known. He takes nothing back
 * that may still be under way.
 */
export async function rule(stage: Stage, clients: readonly Client[]): Promise<void> {
  const dice = stage.dice('operator')
  const failedMs = new Map<number, number>()
  while (!stage.isOver) {
    const { subscriber } = dice.pick(clients)
    const on = chance(dice, 35)
    if (!on && stage.book.operatorBlocks.get(subscriber) === false) continue
    const leftMs = (failedMs.get(subscriber) ?? Number.NEGATIVE_INFINITY) + givenUpMs - performance.now()
    if (leftMs > 0) await shortly(leftMs)
    stage.book.say(subscriber, null)
    let askedMs = 0
    for (let isDone = false; !isDone; ) {
      askedMs = performance.now()
      const answer = await stage.useAsStaff(
        'operator',
        'POST',
        `/admin/abonents/${on ? 'block' : 'unblock'}/${subscriber}/`,
        {},
      )
      if (answer && answer.status !== 302)
        stage.book.violate('an operator was refused', {
          subscriber,
          on,
          status: answer.status,
          text: answer.text.slice(0, 300),
        })
      isDone = answer !== null
      if (isDone) continue
      failedMs.set(subscriber, performance.now())
      await shortly(250)
    }
    stage.book.say(subscriber, on, answeredNow(askedMs))
    await shortly(between(dice, 100, 600))
  }
}

export const topics = ['sessions', 'blocks', 'finance', 'radius']

/** An operator who has always signed in from here, and goes on to, whoever guesses at his password meanwhile. */
export async function signInAgain(stage: Stage): Promise<void> {
  const dice = stage.dice('sign-in')
  let sinceMs: number | null = null
  while (!stage.isOver) {
    sinceMs ??= stage.nowMs
    const answer = await stage.use('sign-in', `/admin/?api=1&username=admin&password=${adminPassword}&format=json`)
    if (answer?.status === 200) {
      stage.book.waits.push({ who: 'operator', fromMs: sinceMs, toMs: stage.nowMs })
      sinceMs = null
    }
    await shortly(between(dice, 100, 700))
  }
  if (sinceMs !== null) stage.book.waits.push({ who: 'operator', fromMs: sinceMs, toMs: stage.nowMs })
}

/** Screens of the office, opened and closed. */
export async function watchOffice(stage: Stage): Promise<void> {
  const dice = stage.dice('live')
  while (!stage.isOver) {
    const beganMs = stage.nowMs
    const socket = new WebSocket(`${stage.base.replace('http', 'ws')}/admin/live/`, {
      headers: { Cookie: `sessionid=${stage.program.session}`, Origin: stage.base },
      handshakeTimeout: 5_000,
    })
    const seen = new Promise<void>((resolve, reject) => {
      socket.on('open', () => socket.send(JSON.stringify({ type: 'subscribe', topics })))
      socket.on('message', (data) => String(data).includes('"snapshot"') && resolve())
      socket.on('error', reject)
      socket.on('close', reject)
    })
    const isSeen = await within(5_000, seen).catch(() => false)
    stage.doors.live.took(isSeen ? 'served' : 'unserved', beganMs, stage.nowMs)
    if (isSeen) await shortly(between(dice, 50, 4_000))
    else {
      await stage.signIn()
      await shortly(300)
    }
    // Some say goodbye, some are gone.
    if (chance(dice, 50)) socket.close()
    else socket.terminate()
  }
}

const bodies = [
  '{"op_summa":',
  '<a',
  '\0\0\0',
  '[[[[[[',
  'a=%ff%fe&b',
  '{"account":1e999}',
  `{"x":"${'y'.repeat(70_000)}"}`,
]

/** Bytes that mean nothing, to every door. */
export async function throwGarbage(stage: Stage): Promise<void> {
  const dice = stage.dice('garbage')
  while (!stage.isOver) {
    await shortly(between(dice, 20, 200))
    const kind = dice.below(3)
    if (kind === 0) {
      const bytes = randomBytes(between(dice, 0, 200))
      if (bytes.length > 3 && chance(dice, 70)) bytes.writeUInt16BE(bytes.length, 2)
      if (bytes.length > 0 && chance(dice, 70)) bytes[0] = dice.pick([1, 4, 12, 40, 43])
      dice.pick(stage.nas).throwAway(bytes)
    } else if (kind === 1) {
      const path = dice.pick([
        webhookPath,
        '/api/fiscal/',
        '/rest_api/v2/FinanceOperations/',
        '/mobile-api/v1/auth/login',
        '/lk/login/',
        '/%zz',
        '/system_api/status/',
      ])
      const type = dice.pick(['application/json', 'text/xml', 'application/x-www-form-urlencoded', 'what/ever'])
      const answer = await stage.use('garbage', path, {
        method: 'POST',
        headers: { 'Content-Type': type, 'X-Session-Hash': stage.program.session },
        body: dice.pick(bodies),
      })
      if (answer && answer.status < 300 && !/RETRY|code="/.test(answer.text) && path !== webhookPath)
        stage.book.violate('garbage was taken', { path, type, status: answer.status, text: answer.text.slice(0, 200) })
    } else await halfRequest(Number(new URL(stage.base).port), between(dice, 10, 300))
  }
}

/** A connection that ends in the middle of its request. */
function halfRequest(port: number, afterMs: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.write('POST /rest_api/v2/FinanceOperations/ HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{"acc')
    setTimeout(() => socket.destroy(), afterMs)
  })
}

import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import { shortly, within } from '../door.ts'
import { topics } from '../doors/office.ts'
import { between } from '../plan.ts'
import type { Stage } from '../stage.ts'
import type { Stranger } from './stranger.ts'

const holdMaxMs = 8_000

/** Connections that send the head of a request byte by byte, or ask for pages and never read them. */
export async function holdConnections(stage: Stage, strangers: readonly Stranger[], number: number): Promise<void> {
  const dice = stage.dice(`slow ${number}`)
  while (!stage.isOver) {
    await stage.whileAttackerRests()
    const socket = dice.pick(strangers).connect()
    const untilMs = stage.nowMs + between(dice, 500, holdMaxMs)
    if (number % 2 === 0) await sendSlowly(socket, stage, untilMs)
    else await neverRead(socket, stage, untilMs)
    socket.destroy()
    await shortly(between(dice, 20, 200))
  }
}

async function sendSlowly(socket: Socket, stage: Stage, untilMs: number): Promise<void> {
  socket.write('GET /lk/login/ HTTP/1.1\r\nHost: x\r\nX-Slow: ')
  while (isToGoOn(socket, stage, untilMs)) {
    socket.write('a')
    await shortly(200)
  }
}

async function neverRead(socket: Socket, stage: Stage, untilMs: number): Promise<void> {
  socket.pause()
  socket.write('GET /lk/login/ HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200))
  while (isToGoOn(socket, stage, untilMs)) await shortly(200)
}

const isToGoOn = (socket: Socket, stage: Stage, untilMs: number): boolean =>
  !socket.destroyed && !stage.isOver && !stage.isAttackerResting && stage.nowMs < untilMs

/** A screen of the office whose browser takes nothing any more. */
export async function neverReadScreen(stage: Stage): Promise<void> {
  const dice = stage.dice('deaf screen')
  while (!stage.isOver) {
    await stage.whileAttackerRests()
    const socket = new WebSocket(`${stage.base.replace('http', 'ws')}/admin/live/`, {
      headers: { Cookie: `sessionid=${stage.program.session}`, Origin: stage.base },
      handshakeTimeout: 5_000,
    })
    const opened = new Promise<void>((resolve, reject) => {
      socket.on('open', resolve)
      socket.on('error', reject)
    })
    if (await within(5_000, opened).catch(() => false)) {
      socket.send(JSON.stringify({ type: 'subscribe', topics }))
      socket.pause()
      await shortly(between(dice, 500, holdMaxMs))
    }
    socket.terminate()
    await shortly(between(dice, 100, 500))
  }
}

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { decodePacket } from '../src/radius/wire/packet.ts'
import { attributes } from '../src/radius/wire/attribute-types.ts'
import { RunningProgram } from '../test/support/program.ts'
import { ruble, signUp } from '../test/support/provider.ts'
import { Watcher } from '../test/support/watcher.ts'
import { type Figure, percentile } from './figures.ts'

const rounds = 300

/**
 * From a committed expense to the Disconnect-Request on the wire and to the live frame, one block after another through the
 * whole program: the moment of the commit is the event's `at` plus the time of the turn, so the times here count from the
 * moment the operator's request was sent and are upper bounds.
 */
export async function measureGate(): Promise<Figure[]> {
  const program = await new RunningProgram().start()
  const wire = createSocket('udp4')
  wire.bind(0, '127.0.0.1')
  await once(wire, 'listening')
  try {
    await program.rest('POST', '/rest_api/v2/Nas/', {
      name: 'nas',
      ip: '127.0.0.1',
      secret: 'testing123',
      coa_port: wire.address().port,
    })
    const [client] = await signUp(program, 1)
    const watcher = await new Watcher(program.address.http, program.session).open(['blocks'])
    const onWire: number[] = []
    const onSocket: number[] = []
    const answered: number[] = []
    for (let round = 0; round < rounds; round++) {
      const cut = nextDisconnect(wire, client!.login)
      const shown = watcher.next((frame) => frame.type === 'block.changed' && frame.b_negbal === true)
      const sentMs = performance.now()
      const posted = pay(program, client!.account, 9).then(() => answered.push(performance.now() - sentMs))
      await Promise.all([
        cut.then(() => onWire.push(performance.now() - sentMs)),
        shown.then(() => onSocket.push(performance.now() - sentMs)),
        posted,
      ])
      await pay(program, client!.account, 7)
    }
    watcher.close()
    const figure = (what: string, samples: number[], share: number): Figure => ({
      what: `${what}, p${share * 100}`,
      unit: 'ms',
      ours: percentile(samples, share),
      peer: null,
      theirs: null,
    })
    return [
      ['request sent → HTTP answer', answered] as const,
      ['request sent → Disconnect-Request received', onWire] as const,
      ['request sent → live frame received', onSocket] as const,
    ].flatMap(([what, samples]) => [figure(what, samples, 0.5), figure(what, samples, 0.99)])
  } finally {
    wire.close()
    await program.stop()
    program.remove()
  }
}

const pay = (program: RunningProgram, account: number, type: 7 | 9) =>
  program.rest('POST', '/rest_api/v2/FinanceOperations/', { account, op_type: type, op_summa: ruble })

function nextDisconnect(wire: ReturnType<typeof createSocket>, login: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (datagram: Buffer) => {
      const decoded = decodePacket(datagram)
      if ('fault' in decoded || decoded.packet.text(attributes.userName) !== login) return
      wire.off('message', look)
      resolve()
    }
    wire.on('message', look)
  })
}

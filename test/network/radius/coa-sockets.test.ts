import { createSocket, type Socket } from 'node:dgram'
import t from 'tap'
import { CoaSockets } from '../../../src/network/radius/coa/coa-sockets.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { SteadyClock } from '../../support/steady-clock.ts'

/** What node:dgram calls to bind a socket of IPv6; the errors are negative. */
type UdpHandle = { bind6: (address: string, port: number, flags: number) => number }

const noSuchFamily = -97

/** Makes the system know no IPv6. */
function withoutIpv6(t: { teardown(action: () => unknown): unknown }): void {
  const socket = createSocket('udp6')
  const state = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'state symbol')!
  const { handle } = (socket as unknown as Record<symbol, { handle: UdpHandle }>)[state]!
  const prototype: UdpHandle = Object.getPrototypeOf(handle)
  const { bind6 } = prototype
  prototype.bind6 = () => noSuchFamily
  socket.close()
  t.teardown(() => {
    prototype.bind6 = bind6
  })
}

t.test('sockets that could not be bound can be closed', async (t) => {
  withoutIpv6(t)
  const sockets = new CoaSockets({
    host: '127.0.0.1',
    count: 1,
    clock: new SteadyClock(),
    log: silentLog,
    receive: () => {},
  })
  await sockets.start()
  const send = async (socket: Socket) => {
    const failed = new Promise((resolve) => socket.once('error', resolve))
    socket.send(Buffer.of(0), 3799, '2001:db8::1')
    t.match(await failed, { code: 'EAFNOSUPPORT' })
  }
  const [socket] = sockets.to('2001:db8::1', null)
  await send(socket!)
  await send(socket!)
  await sockets.close()
})

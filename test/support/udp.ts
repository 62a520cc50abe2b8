import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A port that nobody used a moment ago. */
export async function freeUdpPort(address = '127.0.0.1'): Promise<number> {
  return (await boundOnce(0, address))!
}

/** The same for a server that comes back to it: below the ports that the system gives to whoever asks for any. */
export async function keptUdpPort(): Promise<number> {
  for (;;) {
    const port = await boundOnce(20_000 + Math.floor(Math.random() * 12_000), '127.0.0.1')
    if (port !== null) return port
  }
}

/** Null: it is taken. */
async function boundOnce(wanted: number, address: string): Promise<number | null> {
  const socket = createSocket('udp4')
  const isBound = once(socket, 'listening').then(
    () => true,
    () => false,
  )
  socket.bind(wanted, address)
  const port = (await isBound) ? socket.address().port : null
  socket.close()
  await once(socket, 'close')
  return port
}

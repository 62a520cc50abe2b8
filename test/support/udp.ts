import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A port that nobody used a moment ago. */
export async function freeUdpPort(address = '127.0.0.1'): Promise<number> {
  const socket = createSocket('udp4')
  socket.bind(0, address)
  await once(socket, 'listening')
  const { port } = socket.address()
  socket.close()
  await once(socket, 'close')
  return port
}

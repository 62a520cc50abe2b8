import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * A port for a server that binds it later, or comes back to it. It lies below those that the system gives to whoever
 * asks for any (32768 and up), and until this process ends no other process gets it here.
 */
export const freeTcpPort = (): Promise<number> => freePort('tcp', isFreeTcp)

/** The same for UDP at one address. */
export const freeUdpPort = (address = '127.0.0.1'): Promise<number> =>
  freePort('udp', (port) => isFreeUdp(port, address))

async function freePort(kind: 'tcp' | 'udp', isFree: (port: number) => Promise<boolean>): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const claim = await listening(createServer(), { path: `\0tollgate-test-port ${kind} ${port}` })
    if (!claim) continue
    claim.unref()
    if (await isFree(port)) return port
    claim.close()
  }
}

/** Null when somebody else listens there. The system frees the name of an abstract socket when its process ends. */
async function listening(server: Server, place: { path: string } | { port: number; host: string }) {
  const isListening = once(server, 'listening').then(
    () => true,
    () => false,
  )
  server.listen(place)
  return (await isListening) ? server : null
}

async function isFreeTcp(port: number): Promise<boolean> {
  const server = await listening(createServer(), { port, host: '127.0.0.1' })
  if (!server) return false
  server.close()
  await once(server, 'close')
  return true
}

async function isFreeUdp(port: number, address: string): Promise<boolean> {
  const socket = createSocket('udp4')
  const isBound = once(socket, 'listening').then(
    () => true,
    () => false,
  )
  socket.bind(port, address)
  const isFree = await isBound
  socket.close()
  await once(socket, 'close')
  return isFree
}

import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port that is free, for a server that comes back to it: below those the system gives to whoever asks for any (32768
 * and up), so that no other test has it meanwhile.
 */
export async function freeTcpPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { uwsTransport } from '../../src/platform/http/uws.ts'

/**
 * `node hello.ts node|uws BYTES`: a server that answers every request with a JSON body of so many bytes. Prints its
 * port.
 */
const [, , kind, bytes] = process.argv
const type = 'application/json; charset=utf-8'
const body = Buffer.from(`{"id":0,"text":"${'x'.repeat(Number(bytes) - 18)}"}`)
const tell = (port: number) => process.stdout.write(`${port}\n`)

if (kind === 'node') {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': body.length })
    response.end(body)
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => tell((server.address() as AddressInfo).port))
} else {
  const app = uwsTransport.createApp(null)
  app.any((response) => {
    response.writeStatus('200 OK').writeHeader('Content-Type', type).end(body)
  })
  const port = await app.listen('127.0.0.1', 0)
  if (port !== null) tell(port)
}
// Ends with whoever started it.
process.stdin.on('end', () => process.exit(0)).resume()

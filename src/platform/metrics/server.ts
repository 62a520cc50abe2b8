import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { http } from '../builtin-http.ts'
import type { Log } from '../log.ts'
import { StartRefusal } from '../start-refusal.ts'
import type { Metrics } from './metrics.ts'

export type MetricsServer = { host: string; port: number; stop(): Promise<void> }

/**
 * Serves `/metrics`, with or without a slash at its end, and nothing else. Rejects with a sentence for the operator
 * when the address is not available.
 */
export async function startMetricsServer({
  host = '127.0.0.1',
  port = 9464,
  metrics,
  log,
}: {
  host?: string
  port?: number
  metrics: Metrics
  log: Log
}): Promise<MetricsServer> {
  const server = http.createServer((request, response) => {
    const [path = ''] = request.url?.split('?') ?? []
    // Of the answer to a HEAD node:http sends the header only.
    if ((request.method !== 'GET' && request.method !== 'HEAD') || !/^\/metrics\/?$/.test(path)) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Only GET and HEAD of /metrics are served here.\n')
      return
    }
    metrics.text().then(
      (text) => {
        const length = Buffer.byteLength(text)
        response.writeHead(200, { 'content-type': metrics.registry.contentType, 'content-length': length }).end(text)
      },
      (error) => {
        log.error('The metrics could not be collected.', { error })
        response.writeHead(500).end()
      },
    )
  })
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const fault = unlistenable(error as NodeJS.ErrnoException, host, port)
    throw new StartRefusal(`${fault} Set TOLLGATE_METRICS_HOST and TOLLGATE_METRICS_PORT.`)
  }
  server.on('error', (error) => log.error('The metrics server failed.', { error }))
  const address = server.address() as AddressInfo
  const stop = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return { host: address.address, port: address.port, stop }
}

const unlistenable = (error: NodeJS.ErrnoException, host: string, port: number): string =>
  error.code === 'EADDRINUSE'
    ? `The port of the metrics, ${host}:${port}, is in use by another program.`
    : `The metrics cannot be served at ${host}:${port}: ${error.message}.`

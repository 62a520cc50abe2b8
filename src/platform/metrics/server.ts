import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Log } from '../log.ts'
import { StartRefusal } from '../start-refusal.ts'
import type { Metrics } from './metrics.ts'

export type MetricsServer = { host: string; port: number; stop(): Promise<void> }

/** Serves `/metrics` and nothing else. Rejects with a sentence for the operator when the address is not available. */
export function startMetricsServer({
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
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0]
    // Of the answer to a HEAD node:http sends the header only.
    if ((request.method !== 'GET' && request.method !== 'HEAD') || path !== '/metrics') {
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
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new StartRefusal(`${unlistenable(error, host, port)} Set TOLLGATE_METRICS_HOST and TOLLGATE_METRICS_PORT.`),
      ),
    )
    server.listen(port, host, () => {
      server.removeAllListeners('error')
      server.on('error', (error) => log.error('The metrics server failed.', { error }))
      const address = server.address() as AddressInfo
      resolve({ host: address.address, port: address.port, stop: () => closed(server) })
    })
  })
}

function closed(server: ReturnType<typeof createServer>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

const unlistenable = (error: NodeJS.ErrnoException, host: string, port: number): string =>
  error.code === 'EADDRINUSE'
    ? `The port of the metrics, ${host}:${port}, is in use by another program.`
    : `The metrics cannot be served at ${host}:${port}: ${error.message}.`

import { readFileSync } from 'node:fs'
import { createServer as createProbe } from 'node:net'
import { createSecureContext } from 'node:tls'
import { StartRefusal } from '../start-refusal.ts'
import type { TlsFiles } from './transport.ts'

/** Throws a StartRefusal when the files cannot be read or are not a PEM certificate and its key. */
export function checkTls({ certFile, keyFile }: TlsFiles): void {
  const [cert, key] = [certFile, keyFile].map((file) => {
    try {
      return readFileSync(file)
    } catch (error) {
      throw new StartRefusal(`The TLS file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
    }
  })
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw new StartRefusal(
      `${certFile} and ${keyFile} are no PEM certificate and its key (${(error as Error).message}).`,
    )
  }
}

/** A sentence that says why it is not possible to listen on `host:port`. */
export function listenFault(host: string, port: number): Promise<string> {
  const where = `${host}:${port}`
  return new Promise((resolve) => {
    const probe = createProbe()
    probe.once('error', (error: NodeJS.ErrnoException) =>
      resolve(`Cannot listen for HTTP on ${where}: ${reasonOf(error)}`),
    )
    probe.listen(port, host, () => probe.close(() => resolve(`Cannot listen for HTTP on ${where}.`)))
  })
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE')
    return 'the port is in use by another program. Choose another with TOLLGATE_HTTP_PORT.'
  if (error.code === 'EACCES')
    return 'ports below 1024 need a right this program does not have. Choose another with TOLLGATE_HTTP_PORT.'
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return 'this machine does not have that address. Correct TOLLGATE_HTTP_HOST.'
  return `${error.message}.`
}

import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { capturedExchanges } from './captured.ts'
import { findPairs, statOf } from './detail-files.ts'
import { type Exchange, type Seen, SourceFault } from './exchange.ts'
import { writtenExchanges } from './written.ts'

/** What a source is read with. `signal` ends it as if there were no more. */
type Reading = {
  readonly from: string
  readonly port: number
  readonly replies: string | undefined
  readonly seen: Seen
  readonly signal: AbortSignal
}

type Source = { readonly about: string; readonly exchanges: (reading: Reading) => AsyncIterable<Exchange> }

/** What the other server was asked and said, by the names of the sources. */
export const sources = {
  detail: {
    about: 'What auth_log and reply_log of FreeRADIUS wrote: a folder such as /var/log/freeradius/radacct, or a file',
    exchanges: detailExchanges,
  },
  pcap: {
    about: 'A file of `tcpdump -w`, or - for one that is piped in while it is captured',
    exchanges: packetExchanges,
  },
} as const satisfies Record<string, Source>

async function* packetExchanges({ from, port, seen, signal }: Reading): AsyncGenerator<Exchange> {
  if (from !== '-') seen.totalBytes = sizeOf(from)
  const input = from === '-' ? process.stdin : createReadStream(from)
  yield* capturedExchanges(counted(input, seen, signal), port, seen)
}

async function* detailExchanges({ from, replies, seen, signal }: Reading): AsyncGenerator<Exchange> {
  const pairs = findPairs(from, replies)
  const paths = pairs.flatMap((pair) => (pair.replies === null ? [pair.requests] : [pair.requests, pair.replies]))
  seen.totalBytes = paths.reduce((sum, path) => sum + sizeOf(path), 0)
  for (const { folderAddress, ...pair } of pairs) {
    const streamOf = (path: string | null) => (path === null ? Readable.from([]) : createReadStream(path))
    const [requests, answers] = [pair.requests, pair.replies].map((path) => counted(streamOf(path), seen, signal))
    yield* writtenExchanges({ requests: requests!, replies: answers!, folderAddress }, seen)
  }
}

function sizeOf(path: string): number {
  const stat = statOf(path)
  if (!stat.isFile()) throw new SourceFault(`${path} is no file.`)
  return stat.size
}

async function* counted(input: Readable, seen: Seen, signal: AbortSignal): AsyncGenerator<Buffer> {
  const end = () => input.destroy()
  signal.addEventListener('abort', end)
  try {
    if (signal.aborted) return
    for await (const chunk of input) {
      seen.bytes += chunk.length
      yield chunk
    }
  } catch (error) {
    if (signal.aborted) return
    const { code, path, message } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new SourceFault(code === 'EACCES' ? `${path} may not be read by this user.` : message)
  } finally {
    signal.removeEventListener('abort', end)
  }
}

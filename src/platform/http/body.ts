import { copyOf, type HttpResponse } from './transport.ts'

/** Larger bodies are answered with 413 (contract section 3). */
export const usualBodyBytesMax = 1024 * 1024
/**
 * Up to this size, a body that is too large is read and discarded, because most clients read the answer only after
 * sending it.
 */
const drainedBytesMax = 16 * 1024 * 1024
/**
 * The limit for all bodies that are being received at a time; beyond it requests are answered with 503. Clients that
 * send less than 16 KiB/s for 10 s are disconnected by the transport.
 */
const collectedBytesMax = 128 * 1024 * 1024

export type CollectedBody = { kind: 'whole'; body: Buffer } | { kind: 'tooLarge' } | { kind: 'overloaded' }

let collectedBytes = 0

/**
 * Collects a body and calls back once; the limits are checked as chunks arrive. Must be called before the handler of
 * the transport returns. Returns a function to be called when the client disconnects.
 */
export function collectBody(
  res: HttpResponse,
  bytesAnnounced: number,
  done: (body: CollectedBody) => void,
  bytesMax = usualBodyBytesMax,
): () => void {
  if (Number.isFinite(bytesAnnounced) && bytesAnnounced > Math.max(drainedBytesMax, bytesMax)) {
    done({ kind: 'tooLarge' })
    return () => {}
  }
  let chunks: Buffer[] = []
  let bytes = 0
  let kept = 0
  let refused: 'tooLarge' | 'overloaded' | null = null
  let finished = false

  const release = () => {
    collectedBytes -= kept
    kept = 0
    chunks = []
  }
  const finish = (body: CollectedBody) => {
    finished = true
    release()
    done(body)
  }

  res.onData((chunk, isLast) => {
    if (finished) return
    bytes += chunk.byteLength
    if (bytes > bytesMax) refused ??= 'tooLarge'
    else if (refused === null && collectedBytes + chunk.byteLength > collectedBytesMax) refused = 'overloaded'
    if (refused !== null) {
      release()
      if (isLast || bytes > Math.max(drainedBytesMax, bytesMax)) finish({ kind: refused })
      return
    }
    if (chunk.byteLength > 0) chunks.push(copyOf(chunk))
    kept += chunk.byteLength
    collectedBytes += chunk.byteLength
    if (isLast) finish({ kind: 'whole', body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) })
  })
  return () => {
    finished = true
    release()
  }
}

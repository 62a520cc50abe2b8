import type { HttpResponse } from './uws.ts'

/** Contract section 3: a body over 1 MiB is 413. */
const bodyBytesMax = 1024 * 1024
/** A body too large is read on and thrown away up to here, because most clients read no answer before they have sent it all. */
const drainedBytesMax = 16 * 1024 * 1024
/** All bodies on their way at once; beyond it the answer is 503. Slow ones are cut by uWebSockets.js (under 16 KiB/s for 10 s). */
const collectedBytesMax = 128 * 1024 * 1024

export type CollectedBody = { kind: 'whole'; body: Buffer } | { kind: 'tooLarge' } | { kind: 'noRoom' }

let collectedBytes = 0

/**
 * Collects a body, counting as chunks arrive, and calls back once. Must be called before the uWS handler returns. Answers a
 * function to call when the client gives up.
 */
export function collectBody(
  res: HttpResponse,
  bytesAnnounced: number,
  done: (body: CollectedBody) => void,
): () => void {
  if (Number.isFinite(bytesAnnounced) && bytesAnnounced > drainedBytesMax) {
    done({ kind: 'tooLarge' })
    return () => {}
  }
  let chunks: Buffer[] = []
  let bytes = 0
  let kept = 0
  let refused: 'tooLarge' | 'noRoom' | null = null
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
    if (bytes > bodyBytesMax) refused ??= 'tooLarge'
    else if (refused === null && collectedBytes + chunk.byteLength > collectedBytesMax) refused = 'noRoom'
    if (refused !== null) {
      release()
      if (isLast || bytes > drainedBytesMax) finish({ kind: refused })
      return
    }
    // The memory of a chunk is lent for this call only.
    if (chunk.byteLength > 0) chunks.push(Buffer.from(chunk.slice(0)))
    kept += chunk.byteLength
    collectedBytes += chunk.byteLength
    if (isLast) finish({ kind: 'whole', body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) })
  })
  return () => {
    finished = true
    release()
  }
}

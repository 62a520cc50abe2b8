import { type FileHandle, mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Log } from '../../../platform/log.ts'

/**
 * Records that are durable on disk before they are acknowledged, read back in the order of arrival.
 *
 * Segments of bounded size are appended to and synced once per batch. A segment is deleted when all of it has been read
 * and stored elsewhere. After a crash reading starts again at the first remaining segment, so storing a record twice
 * must be harmless. A frame consists of its length, the CRC-32 of its bytes and its bytes. An incomplete frame at the
 * end, as after a crash, was never acknowledged. What cannot be read is kept in a `.damaged` file for a human.
 */
export class Spool {
  readonly #folder: string
  readonly #segmentBytesMax: number
  readonly #log: Log
  /** The numbers of the segments that are not yet read, the oldest first; the last one may be the one being written. */
  #segments: number[] = []
  #writing: { number: number; file: FileHandle; bytes: number } | null = null
  #reading: { number: number; frames: Buffer[]; next: number; bytes: number } | null = null
  #nextNumber = 1
  #bytes = 0

  private constructor(folder: string, segmentBytesMax: number, log: Log) {
    this.#folder = folder
    this.#segmentBytesMax = segmentBytesMax
    this.#log = log
  }

  /** Opens the folder with whatever an earlier run left in it, and creates it where it is missing. */
  static async open(folder: string, log: Log, segmentBytesMax = 8 * 2 ** 20): Promise<Spool> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const spool = new Spool(folder, segmentBytesMax, log)
    for (const name of await readdir(folder)) {
      const number = segmentNumber(name)
      if (number !== null) spool.#segments.push(number)
    }
    spool.#segments.sort((a, b) => a - b)
    spool.#nextNumber = (spool.#segments.at(-1) ?? 0) + 1
    for (const number of spool.#segments) {
      const file = await open(spool.#path(number))
      spool.#bytes += (await file.stat()).size
      await file.close()
    }
    return spool
  }

  /** True when nothing waits to be read. */
  get isEmpty(): boolean {
    return this.#segments.length === 0
  }

  /** Bytes on disk, for metrics. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * Resolves when all frames are synced to disk. Rejects when that failed (disk full); then none of them will be read.
   */
  async append(frames: readonly Uint8Array[]): Promise<void> {
    if (frames.length === 0) return
    const written = framed(frames)
    const segment = this.#writing ?? (await this.#begin())
    try {
      for (let at = 0; at < written.length; ) {
        const { bytesWritten } = await segment.file.write(written, at, written.length - at, segment.bytes + at)
        at += bytesWritten
      }
      await segment.file.datasync()
    } catch (error) {
      await this.#takeBack(segment)
      throw error
    }
    segment.bytes += written.length
    this.#bytes += written.length
    if (segment.bytes >= this.#segmentBytesMax) await this.#finish()
  }

  /**
   * The next unread frames in order, at most `max`; empty when all have been read. They are returned again until
   * `confirm`.
   */
  async read(max: number): Promise<readonly Buffer[]> {
    for (;;) {
      const number = this.#segments[0]
      if (number === undefined) return []
      if (this.#reading?.number !== number) this.#reading = await this.#load(number)
      const { frames, next } = this.#reading
      if (next < frames.length) return frames.slice(next, next + max)
      await this.#discard(number)
    }
  }

  /** The first `count` frames of the last `read` are stored elsewhere. */
  async confirm(count: number): Promise<void> {
    const reading = this.#reading
    if (!reading) return
    reading.next += count
    if (reading.next >= reading.frames.length) await this.#discard(reading.number)
  }

  async close(): Promise<void> {
    await this.#finish()
  }

  #path(number: number): string {
    return join(this.#folder, `${String(number).padStart(12, '0')}.spool`)
  }

  async #begin() {
    const number = this.#nextNumber++
    const file = await open(this.#path(number), 'wx', 0o600)
    await syncFolder(this.#folder)
    this.#segments.push(number)
    this.#writing = { number, file, bytes: 0 }
    return this.#writing
  }

  async #finish(): Promise<void> {
    const segment = this.#writing
    this.#writing = null
    await segment?.file.close()
  }

  /**
   * A half-written batch must not be read later: it is truncated, or else no more frames are written after it in its
   * segment.
   */
  async #takeBack(segment: { file: FileHandle; bytes: number }): Promise<void> {
    try {
      await segment.file.truncate(segment.bytes)
    } catch (error) {
      this.#log.error('The accounting spool could not take back a half-written batch; it goes on in a new file.', {
        error,
      })
    }
    await this.#finish().catch(() => {})
  }

  /** A segment is read whole, after writing to it has ended. */
  async #load(number: number) {
    if (this.#writing?.number === number) await this.#finish()
    const content = await readFile(this.#path(number))
    const { frames, readable } = unframed(content)
    if (readable < content.length) {
      this.#log.warn('The end of an accounting spool file cannot be read, as after a crash; it is kept beside.', {
        file: `${this.#path(number)}.damaged`,
        unreadableBytes: content.length - readable,
      })
      await this.#keepDamaged(number, content.subarray(readable))
    }
    return { number, frames, next: 0, bytes: content.length }
  }

  async #keepDamaged(number: number, rest: Buffer): Promise<void> {
    try {
      const file = await open(`${this.#path(number)}.damaged.new`, 'w', 0o600)
      await file.writeFile(rest)
      await file.close()
      await rename(`${this.#path(number)}.damaged.new`, `${this.#path(number)}.damaged`)
    } catch (error) {
      this.#log.error('The unreadable end of an accounting spool file could not be kept.', { error })
    }
  }

  async #discard(number: number): Promise<void> {
    if (this.#writing?.number === number) await this.#finish()
    await unlink(this.#path(number))
    this.#bytes = Math.max(0, this.#bytes - (this.#reading?.bytes ?? 0))
    this.#reading = null
    this.#segments.shift()
    if (this.#segments.length === 0) this.#bytes = 0
  }
}

const frameHeaderBytes = 8
/** Longer lengths are damage: a RADIUS packet has at most 4096 octets. */
const frameBytesMax = 65_536

function framed(frames: readonly Uint8Array[]): Buffer {
  let length = 0
  for (const frame of frames) length += frameHeaderBytes + frame.length
  const out = Buffer.allocUnsafe(length)
  let at = 0
  for (const frame of frames) {
    out.writeUInt32LE(frame.length, at)
    out.writeUInt32LE(crc32(frame), at + 4)
    out.set(frame, at + frameHeaderBytes)
    at += frameHeaderBytes + frame.length
  }
  return out
}

/** The complete frames at the beginning, and how many bytes they take. */
function unframed(content: Buffer): { frames: Buffer[]; readable: number } {
  const frames: Buffer[] = []
  let at = 0
  while (at + frameHeaderBytes <= content.length) {
    const length = content.readUInt32LE(at)
    const from = at + frameHeaderBytes
    if (length === 0 || length > frameBytesMax || from + length > content.length) break
    const frame = content.subarray(from, from + length)
    if (crc32(frame) !== content.readUInt32LE(at + 4)) break
    frames.push(frame)
    at = from + length
  }
  return { frames, readable: at }
}

function segmentNumber(name: string): number | null {
  const match = /^(\d{12})\.spool$/.exec(name)
  return match ? Number(match[1]) : null
}

/** A new file survives a crash only when its folder has been synced too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

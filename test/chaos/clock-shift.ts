import { openSync, readSync, writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into the program before it, in each of its threads (`--import`). The wall clock is off by the milliseconds
 * that stand in the file CHAOS_CLOCK, read anew each time, so that all threads jump at once. SIGPWR, which means nothing
 * to the program, collects garbage and writes what memory is left to the file CHAOS_MEMORY.
 */
const RealDate = Date
const file = openSync(process.env.CHAOS_CLOCK!, 'r')
const read = Buffer.alloc(8)

function now(): number {
  return RealDate.now() + (readSync(file, read, 0, 8, 0) === 8 ? read.readDoubleLE() : 0)
}

const Shifted: DateConstructor = new Proxy(RealDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget === Shifted ? target : newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
RealDate.prototype.constructor = Shifted
globalThis.Date = Shifted

if (isMainThread) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  process.on('SIGPWR', () => {
    collect()
    // What finalizers let go is garbage only the second time.
    setImmediate(() => {
      collect()
      writeFileSync(process.env.CHAOS_MEMORY!, JSON.stringify(process.memoryUsage()))
    })
  })
}

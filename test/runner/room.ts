import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import { endRoom } from './end-of-room.ts'
import { failOnUncaught } from './uncaught.ts'

/**
 * Runs the test files whose names come in by standard input, one after the other in this process, so that modules are
 * loaded, compiled and optimized once. A file that imports `tap` is given a test of its own, named after the file, in
 * place of the process's.
 */
const fileMs = Number(process.env.TAP_TIMEOUT) * 1_000
const scheme = 'test-of:'
let current: Test

/** What a test file that is being loaded is given for `tap`. */
export const currentTest = (): Test => current

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier === 'async-hook-domain') return { url: import.meta.resolve('./uncaught.ts'), shortCircuit: true }
    return specifier === 'tap' && /\.(test|peer)\.ts$/.test(context.parentURL ?? '')
      ? { url: scheme + context.parentURL, format: 'module', shortCircuit: true }
      : next(specifier, context)
  },
  load: (url, context, next) => {
    if (!url.startsWith(scheme)) return next(url, context)
    const source = `import { currentTest } from ${JSON.stringify(import.meta.url)}
export default currentTest()`
    return { format: 'module', source, shortCircuit: true }
  },
})

const { default: root } = await import('tap')
failOnUncaught(root)
root.setTimeout(0)
let last: Promise<unknown> = Promise.resolve()
// Not awaited here: test files import this module, and would wait for its end.
createInterface(process.stdin)
  .on('line', (file) => {
    last = root.test(file, { timeout: fileMs }, async (t) => {
      current = t
      await import(pathToFileURL(resolve(file)).href)
    })
  })
  .on('close', () => void last.then(endRoom, endRoom))

/**
 * Loaded before everything else in the processes of a test run. Node 22 strips the types of each module again in each process, half a
 * second for the whole program, and a run starts a hundred processes: here the stripped text is kept from one to the next. Nor is a
 * module searched for that another names by its path: typebox alone has 373 of them.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { threadId } from 'node:worker_threads'

const project = new URL('../../', import.meta.url)
const cache = new URL(`node_modules/.cache/tollgate/stripped-${process.version}/`, project)

// An older Node, which a test hands to the launcher of the program, has no such hooks.
module.registerHooks?.({
  resolve(specifier, context, next) {
    const isPath = /^\.\.?\/.*\.(ts|mjs)$/.test(specifier) && context.parentURL?.startsWith(project.href)
    return isPath
      ? { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
      : next(specifier, context)
  },
  load(url, context, next) {
    const isOurs = url.startsWith(project.href) && url.endsWith('.ts')
    return isOurs ? { format: 'module', source: stripped(url), shortCircuit: true } : next(url, context)
  },
})

function stripped(url) {
  const source = readFileSync(fileURLToPath(url), 'utf8')
  const kept = new URL(createHash('sha1').update(url).update(source).digest('hex'), cache)
  try {
    return readFileSync(kept, 'utf8')
  } catch {
    const text = module.stripTypeScriptTypes(source, { sourceUrl: url })
    mkdirSync(cache, { recursive: true })
    const draft = new URL(`${kept.href}-${process.pid}-${threadId}`)
    writeFileSync(draft, text)
    renameSync(draft, kept)
    return text
  }
}

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DictionaryParser, type ReadIncluded } from './parser.ts'

/**
 * Reads a folder of dictionaries: the file `dictionary` and what it includes, or without one every `dictionary.*`. The
 * fault is a sentence that names the file and the line.
 */
export function readDictionaries(
  folder: string,
  before: DictionaryParser | null = null,
): DictionaryParser | { fault: string } {
  try {
    const main = join(folder, 'dictionary')
    if (existsSync(main)) return DictionaryParser.parse(main, readFileSync(main, 'utf8'), readIncluded, before)
    const names = readdirSync(folder).filter((name) => name.startsWith('dictionary.'))
    if (names.length === 0) return { fault: `There is no file "dictionary" or "dictionary.*" in ${folder}.` }
    const includes = names.sort().map((name) => `$INCLUDE ${name}`)
    return DictionaryParser.parse(main, includes.join('\n'), readIncluded, before)
  } catch (error) {
    return { fault: `The dictionaries in ${folder} cannot be read: ${(error as Error).message}` }
  }
}

const readIncluded: ReadIncluded = (name, from) => {
  const path = join(dirname(from), name)
  try {
    return { path, text: readFileSync(path, 'utf8') }
  } catch (error) {
    return { fault: `${name} cannot be read: ${(error as Error).message}` }
  }
}

/**
 * Writes LICENCES.txt: the licences of all that is shipped with Tollgate. `node release/licences.ts`; a test compares the
 * file with what would be written.
 */
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root, shippedPackages } from './packages.ts'

export const licencesFile = join(root, 'LICENCES.txt')

const line = '-'.repeat(100)

/** Each text once, with everything that is under it. The same on every platform. */
export function licencesText(): string {
  const texts = new Map<string, string[]>()
  const add = (of: string, text: string) => texts.set(text, [...(texts.get(text) ?? []), of])
  const shipped = shippedPackages()
  for (const { name, version, licence } of shipped) {
    const kin = shipped.filter((one) => kindOf(one.name) === kindOf(name)).find(({ folder }) => folder !== null)
    for (const text of textsOf(kin?.folder ?? null, licence))
      add(`${name} ${version}${licence && ` (${licence})`}`, text)
  }
  // What PostgreSQL for npm is linked with and brings no text of.
  for (const file of globSync('release/licences/*.txt', { cwd: root }).sort())
    add(basename(file, '.txt'), readFileSync(join(root, file), 'utf8').trim())
  const sections = [...texts].map(([text, of]) => `${line}\n${of.join('\n')}\n${line}\n\n${text}\n`)
  return `Tollgate is shipped with the following programs and libraries, each under its own licence.\n\n${sections.join('\n')}`
}

/** The same for the packages of all platforms, of which one is installed. */
const kindOf = (name: string): string => name.replace(/(android|darwin|freebsd|linux|openharmony|win32)-.*$/, '')

function textsOf(folder: string | null, licence: string): string[] {
  const names = folder === null ? [] : readdirSync(folder).filter((name) => licenceName.test(name))
  if (names.length === 0) return [`The licence ${licence}, without a file of its own in the package.`]
  return names.sort().map((name) => readFileSync(join(folder!, name), 'utf8').replace(/\r\n/g, '\n').trim())
}

const licenceName = /^(licen[cs]e|copying|notice|ofl)([.-].*)?$/i

if (process.argv[1] === import.meta.filename) writeFileSync(licencesFile, licencesText())

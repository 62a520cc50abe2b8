import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Subject } from './screens.ts'

const others = ['dark-desk', 'light-telephone', 'dark-telephone']

/** Writes the list of the pictures that are kept, and takes away those of screens that are gone. */
export function writeList(folder: string, found: readonly Subject[], keptInAll: readonly string[]): void {
  const names = new Set(
    found.flatMap(({ name }) => [`${name}.webp`, ...others.map((other) => `${name}-${other}.webp`)]),
  )
  for (const file of readdirSync(folder)) if (file.endsWith('.webp') && !names.has(file)) rmSync(join(folder, file))
  const rows = found.map(({ name, path }) => {
    const more = others.filter((other) => keptInAll.includes(name) && existsSync(join(folder, `${name}-${other}.webp`)))
    const links = [
      `[picture](${name}.webp)`,
      ...more.map((other) => `[${other.replace('-', ', ')}](${name}-${other}.webp)`),
    ]
    return `| \`/admin${path.replace(/\/\d+/g, '/…')}/\` | ${links.join(', ')} |`
  })
  const text = `# Pictures of the console

Made by \`npm run pictures\`, which starts the demo and takes every screen, light and dark, for a desk (1360 px) and a
telephone (390 px); it fails when a screen shows an error. All of them are in \`build/pictures\`; kept are these.

| screen | pictures |
|---|---|
${rows.join('\n')}
`
  writeFileSync(join(folder, 'README.md'), text)
}

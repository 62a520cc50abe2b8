import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'
import { followersInOrder } from '../src/app/event-followers.ts'
import { logFields } from '../src/platform/log-fields.ts'
import { clicksOf } from './support/hand.ts'

/** The pages that name files, links and functions of ours; each name is looked up in the tree. */
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...globSync('docs/**/*.md'),
  'SECURITY.md',
  ...globSync('{deploy,grafana,native-bench,release/debian,test/peers}/*.md'),
].sort()
const textOf = new Map(pages.map((page) => [page, readFileSync(page, 'utf8')]))

t.test('links between pages lead somewhere', async (t) => {
  for (const [page, text] of textOf) {
    for (const [, link] of text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
      if (/^https?:/.test(link!)) continue
      t.ok(existsSync(normalize(join(dirname(page), link!))), `${link} of ${page}`)
    }
  }
})

t.test('links to a heading lead to one', async (t) => {
  /** As GitHub names the anchor of a heading. */
  const anchor = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-')
  let count = 0
  for (const [page, text] of textOf)
    for (const [, file, wanted] of text.matchAll(/\]\(([\w./-]*)#([^)\s]+)\)/g)) {
      count++
      const other = file ? readFileSync(normalize(join(dirname(page), file)), 'utf8') : text
      const anchors = [...other.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchor(heading!))
      t.ok(anchors.includes(wanted!), `#${wanted} of ${file || page}, says ${page}`)
    }
  t.ok(count > 10, 'pages lead to headings')
})

t.test('the changelog tells what is unreleased by area', async (t) => {
  const unreleased = textOf.get('CHANGELOG.md')!.match(/^## Unreleased$([\s\S]*?)^## /m)![1]!
  const areas = [
    'Read before you update',
    'Money and charges',
    'RADIUS and network',
    'Console and office',
    'Payments and gateways',
    'Portal and phones',
    'REST, SOAP and other interfaces',
    'Several nodes',
    'Operating',
    'Speed and memory',
  ]
  const told = unreleased.split(/^### /m).slice(1)
  const titles = told.map((area) => area.split('\n', 1)[0]!)
  t.same(
    titles,
    areas.filter((area) => titles.includes(area)),
    'each area once and in order',
  )
  for (const [area, text] of told.map((text, i) => [titles[i]!, text] as const)) {
    if (area === areas[0]) continue
    const kinds = [...text.matchAll(/^#### (.*)$/gm)].map(([, kind]) => kind!)
    t.same(
      kinds,
      ['Added', 'Changed', 'Fixed'].filter((kind) => kinds.includes(kind)),
      `the kinds of ${area}`,
    )
    t.notMatch(text.split(/^#### /m, 1)[0], /^- /m, `each entry of ${area} is under a kind`)
  }
})

t.test('no page keeps the marks of a conflict', async (t) => {
  for (const [page, text] of textOf) t.notMatch(text, /^(<{7}|={7}|>{7})( |$)/m, page)
})

t.test('files that pages name are there', async (t) => {
  /** Made by a command and not in git. */
  const ignored = new Set(['native-bench/out/', 'native-bench/build/', 'deploy/.env'])
  const path = /`((?:src|test|docs|migrations|grafana|native-bench|bin|release|deploy)\/[\w./-]*)`/g
  for (const [page, text] of textOf)
    for (const [, name] of text.matchAll(path)) t.ok(existsSync(name!) || ignored.has(name!), `${name} of ${page}`)
})

t.test('each hop of a journey names a file and what stands in it', async (t) => {
  const hops = [...textOf.get('docs/journeys.md')!.matchAll(/^\d+\. `([\w./-]+\.(?:ts|c))` `([\w.#]+)`/gm)]
  t.ok(hops.length > 20, 'the journeys are told hop by hop')
  for (const [, file, name] of hops) {
    const source = existsSync(`src/${file}`) ? readFileSync(`src/${file}`, 'utf8') : ''
    t.ok(source, `src/${file} is there`)
    for (const part of name!.split('.'))
      t.match(source, new RegExp(`\\b${part.replace('#', '')}\\b`), `${part} in src/${file}`)
  }
})

t.test('what a page says to be in a file stands there', async (t) => {
  const named = /`(\w+)` (?:in |\()`((?:src|test)\/[\w./-]+\.tsx?)`/g
  let count = 0
  for (const [page, text] of textOf)
    for (const [, name, file] of text.matchAll(named)) {
      count++
      t.match(readFileSync(file!, 'utf8'), new RegExp(`\\b${name}\\b`), `${name} in ${file}, says ${page}`)
    }
  t.ok(count > 10, 'the README and CONTRIBUTING say where things stand')
})

t.test('the journeys name the followers of an event in the order in which they are called', async (t) => {
  const journeys = textOf.get('docs/journeys.md')!
  for (const kind of ['accountCommitted', 'sessionUpdated'] as const) {
    const names = followersInOrder[kind].map((name) => `\`${name}\``).join('[^`]*, ')
    t.match(journeys, new RegExp(`\`followersInOrder\` — [^\n]*${names}`), kind)
  }
})

t.test('each task of an operator has a test that does it within its clicks', async (t) => {
  const rows = [
    ...textOf.get('docs/console.md')!.matchAll(/^\| (\d+) \| (\d+) \| .* \| `(test\/peers\/[\w-]+\.peer\.ts)` \|$/gm),
  ]
  t.same(Object.fromEntries(rows.map(([, task, clicks]) => [`task ${task}`, Number(clicks)])), clicksOf)
  t.equal(rows.length, 31)
  for (const [, task, , file] of rows)
    t.ok(readFileSync(file!, 'utf8').includes(`.did(t, 'task ${task}')`), `task ${task} is done in ${file}`)
})

t.test('the fields of the log are those that are listed for whoever searches it', async (t) => {
  const page = textOf.get('docs/operating.md')!
  const section = page.slice(page.indexOf('**The log.**'), page.indexOf('## Installing and starting'))
  const listed = [...section.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name, says]) => [name, says])
  t.strictSame(Object.fromEntries(listed), logFields)
})

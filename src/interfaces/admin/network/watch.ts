import { readFileSync } from 'node:fs'
import { fillTemplate } from '../../../platform/formats/html.ts'
import { asset, page, script, styles } from '../../../platform/http/assets.ts'
import type { Call, Route } from '../../../platform/http/call.ts'
import { html } from '../../../platform/http/reply.ts'

/** `/admin/watch/`: the page that shows operators live what is happening. Its data comes from `/admin/live/`. */
export function watchRoutes(): Route[] {
  return [
    page('/admin/watch', (call) => html(pageFor(call), 200, [['Cache-Control', 'no-store']])),
    page('/admin/watch/watch.js', asset(file('watch.js'), script)),
    page('/admin/watch/watch.css', asset(file('watch.css'), styles)),
  ]
}

const file = (name: string): URL => new URL(`./watch/${name}`, import.meta.url)

const template = readFileSync(file('watch.html'), 'utf8')

const pageFor = (call: Call): string => fillTemplate(template, { username: call.staff?.username })

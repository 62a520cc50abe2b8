import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Call, Handler, Reply, Route } from '../../http/call.ts'
import { escapeHtml, html } from '../../http/reply.ts'

/** `/admin/watch/`: one page that shows the operators what is going on, fed by `/admin/live/`. No framework, nothing from elsewhere. */
export function watchRoutes(): Route[] {
  return [
    page('/admin/watch', (call) => html(pageFor(call), 200, [['Cache-Control', 'no-store']])),
    page('/admin/watch/watch.js', asset('watch.js', 'text/javascript; charset=utf-8')),
    page('/admin/watch/watch.css', asset('watch.css', 'text/css; charset=utf-8')),
  ]
}

const page = (path: string, handler: Handler): Route => ({ method: 'GET', path, door: 'page', handler })

const read = (name: string): string => readFileSync(new URL(`./watch/${name}`, import.meta.url), 'utf8')

const template = read('watch.html')

const pageFor = (call: Call): string => template.replace('{{username}}', () => escapeHtml(call.staff?.username ?? ''))

/** Asked for again each time and answered 304 while it is the same, so that a new version is seen at once. */
function asset(name: string, contentType: string): Handler {
  const body = read(name)
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const headers: Reply['headers'] = [
    ['Cache-Control', 'no-cache'],
    ['ETag', tag],
  ]
  return (call) =>
    call.header('if-none-match') === tag ? { status: 304, headers } : { status: 200, headers, contentType, body }
}

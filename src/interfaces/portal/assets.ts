import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { script, styles } from '../../platform/http/assets.ts'
import type { Route } from '../../platform/http/call.ts'

type Asset = { readonly address: string; readonly route: Route }

/** A file that browsers may cache forever, because its address contains a hash of its content. */
function asset(name: string, contentType: string): Asset {
  const body = readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8')
  const version = hash('sha256', body, 'base64url').slice(0, 12)
  const path = `/lk/${name}`
  const headers = [['Cache-Control', 'public, max-age=31536000, immutable']] as const
  return {
    address: `${path}?v=${version}`,
    route: { method: 'GET', path, door: 'public', handler: () => ({ status: 200, contentType, headers, body }) },
  }
}

export const stylesheet = asset('portal.css', styles)
export const submitScript = asset('submit.js', script)

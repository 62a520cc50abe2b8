import { Markup, markup } from '../formats/html.ts'
import { stringifyJson } from '../formats/json.ts'
import type { Reply } from './call.ts'

type Headers = NonNullable<Reply['headers']>

/** A JSON answer. bigint becomes an integer, even beyond 2^53. */
export const json = (value: unknown, status = 200, headers: Headers = []): Reply =>
  jsonText(stringifyJson(value), status, headers)

/** An answer whose body is JSON text already. */
export const jsonText = (body: string, status = 200, headers: Headers = []): Reply => ({
  status,
  headers,
  contentType: 'application/json; charset=utf-8',
  body,
})

export const text = (body: string, status = 200, headers: Headers = []): Reply => ({
  status,
  headers,
  contentType: 'text/plain; charset=utf-8',
  body,
})

/** Pages load and run only what this server serves. */
const pagePolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/**
 * A page under a Content-Security-Policy of its own. `same-origin` keeps the Referer that writes need (contract section
 * 3).
 */
export const htmlUnder = (policy: string, body: string, status = 200, headers: Headers = []): Reply => ({
  status,
  headers: [['Content-Security-Policy', policy], ['Referrer-Policy', 'same-origin'], ...headers],
  contentType: 'text/html; charset=utf-8',
  body,
})

export const html = (body: string, status = 200, headers: Headers = []): Reply =>
  htmlUnder(pagePolicy, body, status, headers)

export const redirect = (to: string, headers: Headers = []): Reply => ({
  status: 302,
  headers: [['Location', to], ...headers],
  body: '',
})

export const noContent = (headers: Headers = []): Reply => ({ status: 204, headers })

/** A small HTML document with the body in one narrow column. */
export const htmlDocument = (title: string, body: Markup): string =>
  markup`<!doctype html><html lang="ru"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>${documentStyle}</head><body>${body}</body></html>`
    .text

const documentStyle = new Markup(
  '<style>:root{color-scheme:light dark}body{font:16px system-ui;max-width:22rem;margin:12vh auto;padding:0 1rem}label,input,button{display:block;width:100%;box-sizing:border-box;' +
    'font:inherit;margin:.3rem 0}input,button{padding:.5rem}.error{color:light-dark(#b3261e,#ff8a80)}a{color:light-dark(#1f5fa8,#82b6f0)}</style>',
)

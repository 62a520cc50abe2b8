import { readFileSync } from 'node:fs'
import { asset, page, script, styles } from '../../../platform/http/assets.ts'
import type { Route } from '../../../platform/http/call.ts'
import type { ApiSection } from '../../../platform/http/openapi.ts'
import { html, json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { get } from '../doors.ts'
import { wholeDocument } from './api/document.ts'

export type ApiParts = {
  /** Every route of the program. It is called when the document is read, so the routes of this file are among them. */
  readonly routes: () => readonly Route[]
  readonly sections: readonly ApiSection[]
  readonly publicUrl: () => string
  readonly version: string
}

/** `/admin/api/`: what every JSON door takes and answers, as OpenAPI 3.1 and as a page that shows it. */
export const apiRoutes = ({ routes, sections, publicUrl, version }: ApiParts): Route[] => [
  page('/admin/api', () => html(shell, 200, [['Cache-Control', 'no-store']])),
  page('/admin/api/api.js', asset(file('api.js'), script)),
  page('/admin/api/api.css', asset(file('api.css'), styles)),
  get('/admin/api/openapi.json', doc, () =>
    json(wholeDocument({ routes: routes(), sections, publicUrl: publicUrl(), version })),
  ),
]

const file = (name: string): URL => new URL(`./api/${name}`, import.meta.url)

const shell = readFileSync(file('api.html'), 'utf8')

const doc: RouteDoc = {
  tag: 'Documentation',
  summary: 'This document',
  answers: { 200: { doc: 'OpenAPI 3.1', schema: schemas.any } },
}

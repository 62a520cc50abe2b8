import type { Route } from '../../../platform/http/call.ts'
import type { ApiSection } from '../../../platform/http/openapi.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { get } from '../doors.ts'
import { wholeDocument } from './api/document.ts'

export type ApiParts = {
  /** Every route of the program. It is called when the document is read, so the routes of this file are among them. */
  readonly routes: () => readonly Route[]
  /** Called as late, because they take longer to describe than all routes to be made. */
  readonly sections: () => readonly ApiSection[]
  readonly publicUrl: () => string
  readonly version: string
}

/** What every JSON endpoint takes and answers, as OpenAPI 3.1; the console shows it. */
export const apiRoutes = ({ routes, sections, publicUrl, version }: ApiParts): Route[] => [
  get('/admin/api/openapi.json', doc, () =>
    json(wholeDocument({ routes: routes(), sections: sections(), publicUrl: publicUrl(), version })),
  ),
]

const doc: RouteDoc = {
  tag: 'Documentation',
  summary: 'This document',
  answers: { 200: { doc: 'OpenAPI 3.1', schema: schemas.any } },
}

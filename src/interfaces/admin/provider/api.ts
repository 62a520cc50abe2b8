import { setImmediate as nextTurn } from 'node:timers/promises'
import { stringifyJson } from '../../../platform/formats/json.ts'
import type { Route } from '../../../platform/http/call.ts'
import type { ApiSection } from '../../../platform/http/openapi.ts'
import { jsonText } from '../../../platform/http/reply.ts'
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
export function apiRoutes(parts: ApiParts): Route[] {
  let made: { readonly publicUrl: string; readonly text: Promise<string> } | null = null
  return [
    get('/admin/api/openapi.json', doc, async () => {
      const publicUrl = parts.publicUrl()
      if (made?.publicUrl !== publicUrl) made = { publicUrl, text: documentText(parts, publicUrl) }
      return jsonText(await made.text)
    }),
  ]
}

/** Made in turns with everything else, each some tens of milliseconds, because it describes a thousand operations. */
async function documentText({ routes, sections, version }: ApiParts, publicUrl: string): Promise<string> {
  await nextTurn()
  const described = sections()
  await nextTurn()
  const document = wholeDocument({ routes: routes(), sections: described, publicUrl, version })
  await nextTurn()
  return stringifyJson(document)
}

const doc: RouteDoc = {
  tag: 'Documentation',
  summary: 'This document',
  answers: { 200: { doc: 'OpenAPI 3.1', schema: schemas.any } },
}

import type { TProperties } from 'typebox'
import type { Handler, Route } from '../../platform/http/call.ts'
import type { AnswerDoc, RouteDoc } from '../../platform/http/route-doc.ts'
import { errorSchema, okObject } from '../../platform/http/schemas.ts'

type Options = Pick<Route, 'right' | 'forAllOrganizations' | 'allowedReadOnly' | 'bodyBytesMax'>

const routeOf =
  (method: Route['method']) =>
  (path: string, doc: RouteDoc, handler: Handler, options: Options = {}): Route => ({
    method,
    path,
    door: 'admin',
    // What programs send as JSON, forms of the web admin send too (contract section 5).
    doc: { isFormToo: true, ...doc },
    handler,
    ...options,
  })

/** Endpoints of the web admin that answer with JSON. Without a `right` reading needs `view` and writing `change`. */
export const get = routeOf('GET')
export const post = routeOf('POST')
export const remove = routeOf('DELETE')

type Answers = Readonly<Record<number, AnswerDoc>>

/** The refusals of an endpoint by their status, each in words. */
export const refusals = (docs: Readonly<Record<number, string>>): Answers =>
  Object.fromEntries(Object.entries(docs).map(([status, doc]) => [status, { doc, schema: errorSchema }]))

/** The answers of an endpoint: `{ok: true, …}` with these members, and its refusals. */
export const answers = (
  doc: string,
  members: TProperties,
  refused: Readonly<Record<number, string>> = {},
): Answers => ({
  200: { doc, schema: okObject(members) },
  ...refusals(refused),
})

import type { TSchema } from 'typebox'

export type ParameterDoc = {
  readonly doc: string
  /** Left out: a string. */
  readonly schema?: TSchema
  readonly required?: boolean
}

export type AnswerDoc = {
  /** When it is given, or what it is. */
  readonly doc: string
  /** Of a JSON body; left out where there is none, or where it is not JSON. */
  readonly schema?: TSchema
  /** Where the body is something else: `text/csv`, `application/pdf`. */
  readonly contentType?: string
  /** What the same is given as to who asks for it: `text/html`. */
  readonly otherTypes?: readonly string[]
}

/**
 * What a door says about itself. The OpenAPI document and the page at `/admin/api/` are made of these, so a route with a
 * `doc` is documented and a route without is not. The refusals that the gate and the router give at every door (401, 403,
 * 413 of a body, 503) are added by the document.
 */
export type RouteDoc = {
  /** The chapter: `Staff`, `System API`. */
  readonly tag: string
  /** One sentence without a full stop. */
  readonly summary: string
  readonly description?: string
  /** Segments of the path by name; left out, `:id` and `:<any>_id` are integers, all others strings. */
  readonly params?: Readonly<Record<string, ParameterDoc>>
  readonly query?: Readonly<Record<string, ParameterDoc>>
  readonly headers?: Readonly<Record<string, ParameterDoc>>
  /** The JSON body of a write. */
  readonly body?: TSchema
  /** The same fields are taken as a form too (contract section 5). */
  readonly isFormToo?: boolean
  /** By status; left out: 200 with any JSON. */
  readonly answers?: Readonly<Record<number, AnswerDoc>>
}

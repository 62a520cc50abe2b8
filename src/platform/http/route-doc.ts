import type { TSchema } from 'typebox'

export type ParameterDoc = {
  readonly doc: string
  /** The schema of the value; a string when left out. */
  readonly schema?: TSchema
  readonly required?: boolean
}

export type AnswerDoc = {
  /** When this answer is given, or what it is. */
  readonly doc: string
  /** The schema of the JSON body; left out when there is no body or it is not JSON. */
  readonly schema?: TSchema
  /** The content type of a body that is not JSON, such as `text/csv` or `application/pdf`. */
  readonly contentType?: string
  /** Other content types that the caller can ask for, such as `text/html`. */
  readonly otherTypes?: readonly string[]
}

/**
 * The description of a route. The OpenAPI document, which the console shows, is generated from these, so only a
 * route with a `doc` is documented. The document adds the refusals that the gate and the router give on every route:
 * 401, 403, 413 and 415 for a body, and 503.
 */
export type RouteDoc = {
  /** The chapter of the document, such as `Staff` or `System API`. */
  readonly tag: string
  /** One sentence without a full stop. */
  readonly summary: string
  readonly description?: string
  /** The parameters of the path by name. By default `:id` and `:<any>_id` are integers and all others strings. */
  readonly params?: Readonly<Record<string, ParameterDoc>>
  readonly query?: Readonly<Record<string, ParameterDoc>>
  readonly headers?: Readonly<Record<string, ParameterDoc>>
  /** The JSON body of a write. */
  readonly body?: TSchema
  /** The media types of a body that is not JSON: a file. */
  readonly fileTypes?: readonly string[]
  /** The body may be sent as a form too (contract section 5). */
  readonly isFormToo?: boolean
  /** The answers by status; 200 with any JSON when left out. */
  readonly answers?: Readonly<Record<number, AnswerDoc>>
}

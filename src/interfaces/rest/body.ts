import { mediaTypeOf, parseForm } from '../../platform/http/form.ts'
import { parseJson } from '../../platform/formats/json.ts'
import type { Call } from '../../platform/http/call.ts'
import { drf, pythonType, type Refusal, wrongRequest } from '../../platform/records/refusals.ts'
import type { Body } from '../../platform/records/values.ts'

/** Reads the body of a write: JSON, or a form as Django REST framework takes it too. */
export function readBody(call: Pick<Call, 'header' | 'body'>): { body: Body } | Refusal {
  const mediaType = mediaTypeOf(call)
  if (call.body.length === 0) return { body: {} }
  if (mediaType === 'application/x-www-form-urlencoded') {
    const form = parseForm(call.body)
    return form ? { body: Object.fromEntries(form) } : wrongRequest('Too many fields.')
  }
  if (mediaType !== 'application/json') {
    return { kind: 'refused', status: 415, detail: `Unsupported media type "${mediaType}" in request.` }
  }
  const parsed = parseJson(call.body)
  if (parsed.kind === 'refused') return { kind: 'refused', status: 400, detail: parsed.detail }
  const { value } = parsed
  if (value === null) return wrongRequest(drf.noData)
  if (typeof value !== 'object' || Array.isArray(value)) {
    return wrongRequest(drf.notAnObject(pythonType(value)))
  }
  return { body: value as Body }
}

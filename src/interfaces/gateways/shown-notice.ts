import { parseJson, stringifyJson } from '../../platform/formats/json.ts'
import { type FormBytes, textOf } from './form-bytes.ts'

/**
 * Notices as operators may see them: signatures and passwords are masked, because whoever reads them could forge a
 * notice.
 */

const secretFields = new Set(['md5', 'WMI_SIGNATURE', 'shopPassword', 'signature'])

export const shownForm = (form: FormBytes): string =>
  form.fields.map(({ name, value }) => `${name}=${secretFields.has(name) ? '***' : textOf(value)}`).join('\n')

export function shownJson(body: Buffer): string {
  const parsed = parseJson(body)
  return parsed.kind === 'parsed' ? stringifyJson(masked(parsed.value)) : `(${body.length} bytes that are no JSON)`
}

function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, secretFields.has(name) ? '***' : masked(member)]),
  )
}

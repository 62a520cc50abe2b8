import type { Reply } from '../../platform/http/call.ts'
import { codeOfStatus } from '../../platform/http/errors.ts'
import { json } from '../../platform/http/reply.ts'
import type { Field } from '../../platform/records/model.ts'
import { type Refusal, refusalSentence } from '../../platform/records/refusals.ts'
import { notFoundReply } from '../../platform/staff/visible-records.ts'

type Shape = {
  /** The order in which wrong fields are named. Without it they keep the order in which they were found. */
  readonly fields?: readonly Field[]
  /** Of a refusal of the write as a whole that has none of its own; a wrong field has `wrong_field`. */
  readonly code?: string
  /** Further members of the answer to a refusal of the whole write. */
  readonly more?: Readonly<Record<string, unknown>>
}

/** `{ok: false, error, code, errors, codes}`: every wrong field at once, or why the write as a whole is refused. */
export function replyToRefusal(refused: Refusal, { fields = [], code, more }: Shape = {}): Reply {
  if (!('errors' in refused)) {
    const { status, detail, code: own, more: further } = refused
    if (status === 404) return notFoundReply()
    return json({ ok: false, error: detail, code: own ?? codeOfStatus(status), ...further }, status)
  }
  const place = (sentAs: string) => fields.findIndex(({ name }) => name === sentAs || `${name}_id` === sentAs)
  const errors = Object.fromEntries(Object.entries(refused.errors).sort(([one], [other]) => place(one) - place(other)))
  const { non_field_errors: whole, ...named } = errors
  const wholeCode = whole ? (code ?? refused.codes?.non_field_errors ?? codeOfStatus(400)) : 'wrong_field'
  return json(
    {
      ok: false,
      error: refusalSentence({ ...refused, errors }),
      code: wholeCode,
      errors: Object.fromEntries(Object.entries(named).map(([name, texts]) => [name, texts.join(' ')])),
      codes: Object.fromEntries(Object.keys(named).map((name) => [name, refused.codes?.[name] ?? 'wrong'])),
      ...more,
    },
    400,
  )
}

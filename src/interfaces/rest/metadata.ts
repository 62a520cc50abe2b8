import { moneyMax } from '../../domain/money.ts'
import type { Reply } from '../../platform/http/call.ts'
import { json } from '../../platform/http/reply.ts'
import { type Field, inWords, isReadable, isWritable, type Kind, type Model } from '../../platform/records/model.ts'

/**
 * The answer to OPTIONS, as SimpleMetadata of Django REST framework writes it. `action` is null when there is no such
 * record.
 */
export function metadataReply(model: Model, suffix: keyof typeof allowed, action: 'POST' | 'PUT' | null): Reply {
  const body = {
    name: `${inWords(model.name)} ${suffix}`,
    description: model.doc,
    renders: ['application/json'],
    parses: ['application/json', 'application/x-www-form-urlencoded'],
    ...(action && {
      actions: { [action]: Object.fromEntries(described(model).map((field) => [field.name, infoOf(field)])) },
    }),
  }
  return json(body, 200, [['Allow', allowed[suffix]]])
}

/** The methods of a list and of one record. */
const allowed = {
  List: 'GET, HEAD, OPTIONS, POST',
  Instance: 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT',
} as const

const described = ({ fields }: Model): Field[] => fields.filter((field) => isReadable(field) || isWritable(field))

const types = {
  integer: 'integer',
  money: 'integer',
  long: 'integer',
  decimal: 'decimal',
  boolean: 'boolean',
  text: 'string',
  choice: 'choice',
  datetime: 'datetime',
  date: 'date',
  ip: 'string',
  network: 'string',
  mac: 'string',
  relation: 'field',
  relations: 'field',
  rubles: 'decimal',
  json: 'field',
} as const satisfies Record<Kind, string>

function infoOf(field: Field): object {
  const { name, kind, doc, required, min, max, choices } = field
  const isReadOnly = !isWritable(field)
  const isText = kind === 'text'
  const isNumber = isLong(kind) || kind === 'integer' || kind === 'decimal'
  return {
    type: types[kind],
    required: required && !isReadOnly,
    read_only: isReadOnly,
    label: name === 'id' ? 'ID' : name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' '),
    help_text: doc,
    ...(isText && !isReadOnly && min !== undefined && { min_length: min }),
    ...(isText && !isReadOnly && max !== undefined && { max_length: max }),
    ...(isNumber && !isReadOnly && boundsOf(field)),
    ...(choices && !isReadOnly && { choices: choices.map((value) => ({ value, display_name: value })) }),
  }
}

const isLong = (kind: Kind): boolean => kind === 'money' || kind === 'long'

const boundsOf = ({ kind, min, max }: Field): object =>
  isLong(kind)
    ? { min_value: min ?? -moneyMax, max_value: moneyMax }
    : { ...(min !== undefined && { min_value: min }), ...(max !== undefined && { max_value: max }) }

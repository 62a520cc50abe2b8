/** What is asked of a door. */
export type Question = {
  readonly door: string
  readonly what: string
  readonly path: string
  /** Sent by POST. */
  readonly body?: object
  /** By a staff user of one organization. */
  readonly ofBranch?: boolean
}

type Schema = {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly $ref?: string
}
type Parameter = { readonly name: string; readonly in: string; readonly schema?: Schema; readonly description?: string }
type Operation = {
  readonly parameters?: readonly Parameter[]
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >
}
/** As much of an OpenAPI document as tells lists. */
export type Document = {
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export type Row = Readonly<Record<string, unknown>>
/** Rows of a list as it answers: some at its beginning, and some in its middle. */
export type Ask = (path: string) => Promise<{ rows: readonly Row[]; total: number; next: Row | null }>

/** Answers of a list hold their rows under one of these. */
export const rowsIn = ['results', 'items', 'sessions'] as const

/**
 * Every list door of the document and what it can be asked: its first page and one in its middle, each sort both ways,
 * each filter by values that find few rows, many and none. REST v1 answers by the same statements as v2, and is left
 * out.
 */
export async function questionsOf(document: Document, ask: Ask, only: string): Promise<Question[]> {
  const questions: Question[] = []
  for (const [path, { get }] of Object.entries(document.paths)) {
    if (!path.includes(only) && !only.includes('?')) continue
    if (!get || !isList(document, get) || /^\/rest_api\/(?!v2\/)/.test(path)) continue
    const door = path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'name' ? 'process_blocks' : '1'))
    const parameters = (get.parameters ?? []).filter((parameter) => parameter.in === 'query')
    const asked = path.startsWith('/rest_api/')
      ? await ofRest(door, parameters, ask)
      : await ofOffice(door, parameters, ask)
    questions.push(...asked.map(([what, query]) => ({ door, what, path: query === '' ? door : `${door}?${query}` })))
  }
  return questions
}

function isList({ components }: Document, { responses }: Operation): boolean {
  const schema = responses['200']?.content?.['application/json']?.schema
  const named = schema?.$ref ? components.schemas[schema.$ref.split('/').at(-1)!] : schema
  return rowsIn.some((name) => named?.properties?.[name] !== undefined)
}

type Asked = readonly [what: string, query: string]

const queryOf = (fields: Readonly<Record<string, unknown>>): string =>
  new URLSearchParams(
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)])),
  ).toString()

const paging = new Set([
  'limit',
  'offset',
  'ordering',
  'fields',
  'page',
  'per_page',
  'after',
  'after_date',
  'after_id',
  'exclude',
  // A file of all rows is no list.
  'format',
  'cursor',
])

/** Values of fields are taken from rows of the list itself. */
async function ofRest(door: string, parameters: readonly Parameter[], ask: Ask): Promise<Asked[]> {
  const { rows, total } = await ask(`${door}?limit=1000`)
  const offset = Math.floor(total / 2)
  const middle = (await ask(`${door}?limit=1000&offset=${offset}`)).rows
  const asked: Asked[] = [
    ['first page', ''],
    ['page in the middle', queryOf({ offset })],
    ['last page', queryOf({ offset: Math.max(0, total - 100) })],
  ]
  for (const { name, schema = {}, description = '' } of parameters) {
    if (paging.has(name) || parameters.some((other) => `${other.name}_id` === name)) continue
    for (const ordering of [name, `-${name}`])
      asked.push(
        [`ordering=${ordering}`, queryOf({ ordering })],
        [`ordering=${ordering}, page in the middle`, queryOf({ ordering, offset })],
      )
    const values = valuesOf([...rows, ...middle].map((row) => row[name]))
    const [few = noneOf(schema), many = few] = [values.at(-1), values[0]]
    const filters = { few, many, none: noneOf(schema) }
    for (const [how, value] of Object.entries(filters)) asked.push([`${name}, ${how}`, queryOf({ [name]: value })])
    const lookups = /Lookups: ([\w, ]+)\./.exec(description)?.[1]?.split(', ') ?? []
    for (const lookup of lookups.filter((lookup) => lookup !== 'exact'))
      asked.push([`${name}__${lookup}`, queryOf({ [`${name}__${lookup}`]: operandOf(lookup, few) })])
    if (lookups.includes('icontains'))
      asked.push([`${name}__icontains, none`, queryOf({ [`${name}__icontains`]: 'zzqxk' })])
  }
  return asked
}

/** The different values as texts, the most frequent first. */
function valuesOf(values: readonly unknown[]): string[] {
  const counts = new Map<string, number>()
  for (const value of values) {
    if (value === null || value === undefined || typeof value === 'object') continue
    counts.set(String(value), (counts.get(String(value)) ?? 0) + 1)
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([value]) => value)
}

const noneOf = ({ type, format }: Schema): string =>
  format === 'date-time' || format === 'date'
    ? '1971-01-01'
    : type === 'boolean'
      ? 'true'
      : type === 'integer'
        ? '987654321987'
        : 'zzqxk'

const operandOf = (lookup: string, value: string): string => {
  switch (lookup) {
    case 'range':
      return `${value},${value}`
    case 'isnull':
      return 'true'
    case 'date':
      return value.slice(0, 10)
    case 'year':
      return value.slice(0, 4)
    case 'month':
      return String(Number(value.slice(5, 7)) || 1)
    default:
      return value
  }
}

/** What an operator types or chooses, where the document does not list the values. */
const samples: Readonly<Record<string, readonly string[]>> = {
  q: [
    '4711',
    'Иванов',
    'Иванов Анна',
    'ив',
    'client4711',
    'user47110',
    'ленина, 17',
    'pay4712',
    't4712',
    'operation',
    'zzqxk',
    '№ 4711',
  ],
  op_type: ['24', '32', '7,9', '999'],
  op_id: ['4711', '987654321'],
  abonent_id: ['4711', '17', '987654321'],
  account_id: ['4711', '17', '987654321'],
  table_name: ['TARIFS', 'FINANCE_OPERATIONS', 'NONE'],
  object_id: ['4711', 'none'],
  user: ['staff117', '117', 'charges', 'nobody'],
  login: ['user4711', 'nobody'],
  nas: ['7', '10.250.0.8'],
  all: ['1'],
  resolved: ['true', 'false'],
  date_from: ['2026-10-01', '2026-03-05', '2024-01-01', '2035-01-01'],
  date_to: ['2024-11-10', '2026-03-05', '2035-01-01', '1999-01-01'],
  from: ['2026-03-01'],
  to: ['2026-03-31'],
  abonent: ['4711', '987654321'],
  home: ['1', '500', '2000', '987654321'],
  parent: ['1', '500'],
  tarif: ['1005', '987654321'],
  organization: ['1', '3', '987654321'],
  organization_id: ['1', '3'],
  debt_days: ['1', '30', '400', '5000'],
  assignee: ['nobody', '117', '987654321'],
  mailing: ['3', '987654321'],
  kind: ['mailing', 'low_balance', 'none'],
  staff: ['117', '987654321'],
  cashier: ['117', '0'],
  ip: ['10.0.18.103', '192.0.2.1', '2001:db8:0:1267::1'],
  mac: ['02:00:00:00:00:01', '02:00:00:00:00:02'],
  unread: ['1'],
}

async function ofOffice(door: string, parameters: readonly Parameter[], ask: Ask): Promise<Asked[]> {
  const names = new Set(parameters.map(({ name }) => name))
  const { total, next } = await ask(door)
  const asked: Asked[] = [['first page', '']]
  const perPage = 50
  const page = Math.max(1, Math.min(100_000, Math.floor(total / 2 / perPage)))
  const middle = names.has('page') ? { page, per_page: perPage } : null
  if (middle) asked.push(['page in the middle', queryOf(middle)])
  if (next) asked.push(['the next page', queryOf(next)])
  const filters = parameters.filter(({ name }) => !paging.has(name))
  const choices = (parameter: Parameter) => parameter.schema?.enum ?? samples[parameter.name] ?? []
  for (const filter of filters) {
    for (const value of choices(filter)) {
      asked.push([`${filter.name}=${value}`, queryOf({ [filter.name]: value })])
      if (middle && filter.name === 'sort')
        asked.push([`${filter.name}=${value}, page in the middle`, queryOf({ sort: value, ...middle })])
    }
  }
  // Those whose values are few are chosen together.
  for (const [at, one] of filters.entries())
    for (const other of filters.slice(at + 1))
      if (one.schema?.enum && other.schema?.enum)
        for (const value of one.schema.enum)
          for (const second of other.schema.enum)
            asked.push([
              `${one.name}=${value}, ${other.name}=${second}`,
              queryOf({ [one.name]: value, [other.name]: second }),
            ])
  return asked
}

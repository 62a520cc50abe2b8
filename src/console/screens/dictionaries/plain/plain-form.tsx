import { Select, Switch, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ask, type Endpoint, Refused } from '../../../api/client.ts'
import { forget, useEndpoint } from '../../../api/use-endpoint.ts'
import { useFormat } from '../../../format/format.ts'
import { readPrice } from '../../../format/money.ts'
import { SideForm } from '../../../patterns/form/side-form.tsx'
import { useSideForm } from '../../../patterns/form/use-side-form.ts'
import { useGo, useLateConfirm } from '../../../patterns/late.ts'
import { told } from '../../../patterns/told.ts'
import { useTexts } from '../../../texts/texts.ts'
import { RemoveRecord } from '../remove-record.tsx'
import { dictionaryTexts } from '../texts.ts'
import { textOf } from '../values.ts'
import type { Plain, PlainField, PlainRecord } from './description.ts'
import { plainPath } from './names.ts'
import { plainTexts } from './texts.ts'
import { useMayWrite, useOptions, usePlain } from './use-plain.ts'

type Values = Readonly<Record<string, string | boolean | null>>

type One = 'GET /admin/dictionary/video_objects_crud/{id}/'
/** All of them answer alike; one of them is the type of all. */
const endpointOf = <M extends 'GET' | 'POST' | 'DELETE'>(method: M, { endpoint }: Plain) =>
  `${method} /admin/dictionary/${endpoint}_crud/{id}/` as `${M} /admin/dictionary/video_objects_crud/{id}/`
const listOf = ({ endpoint }: Plain) => `GET /admin/dictionary/${endpoint}_crud/` as Extract<Endpoint, `GET ${string}`>

/** A new record of a dictionary that is nothing but its fields, or one that is there. */
export default function PlainForm() {
  const { plain } = usePlain()
  const { id } = useParams({ strict: false }) as { readonly id?: string }
  const { data, error } = useEndpoint<One>(
    endpointOf('GET', plain),
    { path: { id: Number(id ?? 0) } },
    { isEnabled: id !== undefined },
  )
  if (error && !data) throw error
  if (id === undefined) return <Fields key={plain.endpoint} plain={plain} record={null} />
  return data ? <Fields key={`${plain.endpoint} ${data.id}`} plain={plain} record={data as PlainRecord} /> : null
}

const isWritten = ({ isReadOnly }: PlainField): boolean => isReadOnly !== true

function shownOf(field: PlainField, record: PlainRecord | null, typed: (text: string) => string) {
  const value = record?.[field.name]
  if (field.kind === 'flag') return record === null ? field.name === 'enabled' : value === true
  if (field.kind === 'choice' && field.isRequired && record === null) return field.options[0]?.[0] ?? null
  if (field.kind === 'choice' || field.kind === 'folder' || field.kind === 'organization')
    return value === null || value === undefined ? null : String(value)
  return field.kind === 'money' ? typed(textOf(value)) : textOf(value)
}

/** As the endpoint takes it; undefined: it is not sent. */
function sentOf(field: PlainField, value: string | boolean | null): unknown {
  if (typeof value === 'boolean') return value
  const text = value?.trim() ?? ''
  if (text === '') return field.kind === 'secret' || field.kind === 'organization' ? undefined : null
  if (field.kind === 'money') return readPrice(text) ?? text
  const isNumber = field.kind === 'number' || field.kind === 'folder' || field.kind === 'organization'
  return (isNumber || (field.kind === 'choice' && field.isNumber)) && /^-?\d+$/.test(text) ? Number(text) : text
}

function bodyOf({ fields }: Plain, values: Values) {
  const sent = fields.filter(isWritten).map((field) => [field.name, sentOf(field, values[field.name] ?? null)] as const)
  return Object.fromEntries(sent.filter(([, value]) => value !== undefined))
}

/** A secret that is there stays when nothing is typed. */
const isNeeded = ({ isRequired, kind }: PlainField, record: PlainRecord | null): boolean =>
  isRequired === true && (kind !== 'secret' || record === null)

function usePlainForm(plain: Plain, record: PlainRecord | null, onDone: () => void) {
  const t = useTexts(plainTexts)
  const common = useTexts(dictionaryTexts)
  const confirm = useLateConfirm()
  const { typed } = useFormat()
  const send = (body: object) =>
    record === null
      ? ask(`POST /admin/dictionary/${plain.endpoint}_crud/` as 'POST /admin/dictionary/video_objects_crud/', {
          body: body as { name: string },
        })
      : ask(endpointOf('POST', plain), { path: { id: record.id }, body })
  return useSideForm({
    initial: Object.fromEntries(
      plain.fields.filter(isWritten).map((field) => [field.name, shownOf(field, record, typed)]),
    ) as Values,
    check: (values) =>
      Object.fromEntries(
        plain.fields
          .filter((field) => isNeeded(field, record) && String(values[field.name] ?? '').trim() === '')
          .map(({ name }) => [name, t.needed]),
      ),
    send: async (values) => {
      const body = bodyOf(plain, values)
      try {
        return await send(body)
      } catch (error) {
        const { overruled } = plain
        if (!overruled || !(error instanceof Refused) || error.code !== overruled.code) throw error
        const { asks, says, action, flag } = overruled
        if (!(await confirm({ title: t[asks], says: t[says], action: t[action] }))) throw error
        return send({ ...body, [flag]: true })
      }
    },
    outdated: [endpointOf('GET', plain), listOf(plain)],
    onDone: () => {
      told.done(common.saved)
      onDone()
    },
  })
}

type FieldsProps = { readonly plain: Plain; readonly record: PlainRecord | null }

function Fields({ plain, record }: FieldsProps) {
  const t = useTexts(plainTexts)
  const common = useTexts(dictionaryTexts)
  const navigate = useGo()
  const queries = useQueryClient()
  const { name } = usePlain()
  const may = useMayWrite(plain)
  const path = plainPath(name)
  const leave = () => void navigate({ to: path, search: true as never })
  const form = usePlainForm(plain, record, leave)
  const title = record === null ? t[plain.add] : String(record[plain.fields[0]!.name])
  return (
    <SideForm title={title} backTo={path} action={record === null ? common.create : common.save} form={form}>
      {plain.fields.filter(isWritten).map((field, at) => (
        <PlainInput key={field.name} field={field} form={form} record={record} isFirst={at === 0} />
      ))}
      {record !== null && may.add && !plain.isKept?.(record) && (
        <RemoveRecord
          name={title}
          remove={() => ask(endpointOf('DELETE', plain), { path: { id: record.id } })}
          onDone={() => {
            // The record itself is asked for by nobody any more.
            void forget(queries, [listOf(plain)])
            leave()
          }}
        />
      )}
    </SideForm>
  )
}

type PlainInputProps = {
  readonly field: PlainField
  readonly form: ReturnType<typeof usePlainForm>
  readonly record: PlainRecord | null
  readonly isFirst: boolean
}

function PlainInput({ field, form, record, isFirst }: PlainInputProps) {
  const t = useTexts(plainTexts)
  const options = useOptions()(field)
  const { name, kind, says } = field
  const shown = {
    label: t[field.label],
    ...(says && (kind !== 'secret' || record !== null) && { description: t[says] }),
    ...(isNeeded(field, record) && { required: true }),
  }
  if (kind === 'flag')
    return (
      <Switch
        {...shown}
        name={name}
        checked={form.values[name] === true}
        onChange={({ currentTarget }) => form.set({ [name]: currentTarget.checked })}
      />
    )
  if (options) {
    const isFree = field.isRequired !== true
    const none = kind === 'choice' && field.none ? t[field.none] : t.unset
    return (
      <Select
        {...form.choice(name)}
        {...shown}
        {...(isFree && { placeholder: none })}
        data={options.filter(({ value }) => kind !== 'folder' || value !== String(record?.id))}
        searchable={kind !== 'choice'}
        clearable={isFree}
        autoComplete="off"
      />
    )
  }
  if (kind === 'note') return <Textarea {...form.field(name)} {...shown} autosize minRows={2} />
  const mode = kind === 'money' ? 'decimal' : kind === 'number' ? 'numeric' : 'text'
  return (
    <TextInput
      {...form.field(name)}
      {...shown}
      inputMode={mode}
      autoComplete="off"
      {...(isFirst && { 'data-autofocus': true })}
    />
  )
}

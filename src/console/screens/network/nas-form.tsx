import { NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { type Answer, ask, Refused } from '../../api/client.ts'
import { forget, useEndpoint } from '../../api/use-endpoint.ts'
import { isIp, isNetwork } from '../../format/ip.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { orNull, textOf } from '../dictionaries/values.ts'
import { RemoveRecord } from '../dictionaries/remove-record.tsx'
import { nasTypeNames } from './nas-types.ts'
import { nasFormTexts } from './texts.ts'

type NasRecord = Answer<'GET /admin/dictionary/nas_crud/{id}/'>

const types = Object.entries(nasTypeNames).map(([value, label]) => ({ value, label }))
const outdated = ['GET /admin/radius/nas/', 'GET /admin/dictionary/nas_crud/{id}/'] as const
const templatesMax = 200

/** A new NAS, or one that is there, beside the list. */
export default function NasForm() {
  const { id } = useParams({ strict: false }) as { id?: string }
  // An address that asks already and has no record.
  const { ip = '' } = useSearch({ strict: false }) as { ip?: string }
  const { data } = useEndpoint(
    'GET /admin/dictionary/nas_crud/{id}/',
    { path: { id: Number(id ?? 0) } },
    { isEnabled: id !== undefined },
  )
  if (id === undefined) return <Fields nas={null} ip={ip} />
  return data ? <Fields key={data.id} nas={data} /> : null
}

function valuesOf(nas: NasRecord | null, ip: string) {
  return {
    name: textOf(nas?.name),
    place: nas === null ? ip : textOf(nas.ip ?? nas.network),
    secret: '',
    nas_type: textOf(nas?.nas_type ?? 'mikrotik'),
    template: textOf(nas?.template),
    coa_port: Number(nas?.coa_port ?? 3799),
    coa_ip: textOf(nas?.coa_ip),
    identifier: textOf(nas?.identifier),
    enabled: nas?.enabled !== false,
    comment: textOf(nas?.comment),
  }
}

type FormValues = ReturnType<typeof valuesOf>

/** An address or a network, as the record keeps them. */
function bodyOf({ place, secret, template, coa_ip, identifier, comment, ...rest }: FormValues) {
  const isNetwork = place.includes('/')
  return {
    ...rest,
    ip: isNetwork ? null : place.trim(),
    network: isNetwork ? place.trim() : null,
    template: template === '' ? null : Number(template),
    coa_ip: orNull(coa_ip),
    identifier: orNull(identifier),
    comment: orNull(comment),
    ...(secret !== '' && { secret }),
  }
}

/** What the server says of the address or of the network stands at the field of both. */
async function save(nas: NasRecord | null, values: FormValues) {
  const body = bodyOf(values) as never
  try {
    return nas === null
      ? await ask('POST /admin/dictionary/nas_crud/', { body })
      : await ask('POST /admin/dictionary/nas_crud/{id}/', { path: { id: nas.id }, body })
  } catch (error) {
    const place = error instanceof Refused ? (error.fields.ip ?? error.fields.network) : undefined
    if (!(error instanceof Refused) || place === undefined) throw error
    const { status, message, code, fields, requestId } = error
    const codes = { ...error.codes, place: error.codes.ip ?? error.codes.network ?? '' }
    const said = { error: message, ...(code !== null && { code }), errors: { ...fields, place }, codes }
    throw new Refused(status, said, requestId)
  }
}

function Fields({ nas, ip = '' }: { readonly nas: NasRecord | null; readonly ip?: string }) {
  const t = useTexts(nasFormTexts)
  const navigate = useGo()
  const backTo = nas === null ? '/network/nas/' : `/network/nas/${nas.id}/`
  const form = useSideForm({
    initial: valuesOf(nas, ip),
    check: ({ name, place, secret, coa_port }) => ({
      ...(name.trim() === '' && { name: t.nameNeeded }),
      ...(!isIp(place) && !isNetwork(place) && { place: place.trim() === '' ? t.placeNeeded : t.placeWrong }),
      ...(secret === '' && nas === null && { secret: t.secretNeeded }),
      ...(!(coa_port >= 1 && coa_port <= 65_535) && { coa_port: t.portWrong }),
    }),
    send: (values) => save(nas, values),
    outdated,
    onDone: (saved) => {
      told.done(nas === null ? t.created : t.saved)
      void navigate({ to: `/network/nas/${(saved as NasRecord).id}/` })
    },
  })
  const title = nas === null ? t.new : t.edit(textOf(nas.name))
  return (
    <SideForm title={title} backTo={backTo} action={nas === null ? t.create : t.save} form={form}>
      <TextInput {...form.field('name')} label={t.name} data-autofocus />
      <TextInput {...form.field('place')} label={t.place} description={t.placeSays} autoComplete="off" />
      <TextInput
        {...form.field('secret')}
        label={t.secret}
        autoComplete="off"
        {...(nas !== null && { description: t.secretKept })}
      />
      <Select {...form.choice('nas_type')} label={t.type} data={types} />
      <TemplateChoice form={form} />
      <NumberInput
        name="coa_port"
        label={t.coaPort}
        value={form.values.coa_port}
        min={1}
        max={65_535}
        hideControls
        onChange={(value) => form.set({ coa_port: Number(value) })}
      />
      <TextInput {...form.field('coa_ip')} label={t.coaIp} autoComplete="off" />
      <TextInput {...form.field('identifier')} label={t.identifier} description={t.identifierSays} autoComplete="off" />
      <Switch
        name="enabled"
        label={t.enabled}
        checked={form.values.enabled}
        onChange={({ currentTarget }) => form.set({ enabled: currentTarget.checked })}
      />
      <Textarea {...form.field('comment')} label={t.comment} autosize minRows={2} />
      {nas !== null && <DeleteNas nas={nas} />}
    </SideForm>
  )
}

function TemplateChoice({ form }: { readonly form: { choice: (name: 'template') => object } }) {
  const t = useTexts(nasFormTexts)
  const { data } = useEndpoint('GET /admin/dictionary/nas_templates_crud/', { query: { per_page: templatesMax } })
  const templates = (data?.items ?? []).map(({ id, name }) => ({ value: String(id), label: String(name) }))
  if (templates.length === 0) return null
  return (
    <Select {...form.choice('template')} label={t.template} data={[{ value: '', label: t.asType }, ...templates]} />
  )
}

function DeleteNas({ nas }: { readonly nas: NasRecord }) {
  const t = useTexts(nasFormTexts)
  const queries = useQueryClient()
  const navigate = useGo()
  const { id } = nas
  const leave = () => {
    void forget(queries, ['GET /admin/radius/nas/'])
    void navigate({ to: '/network/nas/' })
  }
  return (
    <RemoveRecord
      name={textOf(nas.name)}
      says={t.deleteSays}
      remove={() => ask('DELETE /admin/dictionary/nas_crud/{id}/', { path: { id } })}
      onDone={leave}
    />
  )
}

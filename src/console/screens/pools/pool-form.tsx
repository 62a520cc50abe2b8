import { Alert, Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type Answer, ask } from '../../api/client.ts'
import { forget, useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { RemoveRecord } from '../dictionaries/remove-record.tsx'
import { orNull } from '../dictionaries/values.ts'
import { overlapping } from './overlaps.ts'
import { Overlaps, poolsEndpoint } from './pools.tsx'
import { poolTexts } from './texts.ts'

const oneEndpoint = 'GET /admin/radius/pools/{id}/'
type Pool = Answer<typeof oneEndpoint>

const conflictsEndpoint = 'GET /admin/radius/pools/conflicts/'
/** What a change of a pool makes untrue. */
const outdated = [
  poolsEndpoint,
  oneEndpoint,
  'GET /admin/radius/pools/{id}/holders/',
  'GET /admin/radius/pools/{id}/free/',
  conflictsEndpoint,
] as const

const poolsPath = '/network/pools/'

/** A new pool, or one that is there. */
export default function PoolForm() {
  const { id } = useParams({ strict: false }) as { readonly id?: string }
  const { data, error } = useEndpoint(oneEndpoint, { path: { id: Number(id ?? 0) } }, { isEnabled: id !== undefined })
  if (error && !data) throw error
  if (id === undefined) return <Fields pool={null} />
  return data ? <Fields key={data.id} pool={data} /> : null
}

function usePoolForm(pool: Pool | null) {
  const t = useTexts(poolTexts)
  const navigate = useGo()
  return useSideForm({
    initial: {
      name: pool?.name ?? '',
      network: pool?.network ?? '',
      gateway: pool?.gateway ?? '',
      enabled: pool?.enabled ?? true,
    },
    send: ({ name, network, gateway, enabled }) => {
      const body = { name: name.trim(), network: network.trim(), gateway: orNull(gateway), enabled }
      return pool === null
        ? ask('POST /admin/dictionary/ip_pulls_crud/', { body })
        : ask('POST /admin/dictionary/ip_pulls_crud/{id}/', { path: { id: pool.id }, body })
    },
    outdated,
    onDone: ({ id, name }) => {
      told.done(pool === null ? t.added(String(name)) : t.saved)
      void navigate({ to: `${poolsPath}${id}/` })
    },
  })
}

function Fields({ pool }: { readonly pool: Pool | null }) {
  const t = useTexts(poolTexts)
  const form = usePoolForm(pool)
  const backTo = pool === null ? poolsPath : `${poolsPath}${pool.id}/`
  const { network, enabled } = form.values
  const others = (useEndpoint(poolsEndpoint, {}).data?.items ?? []).filter(({ id }) => id !== pool?.id)
  return (
    <SideForm
      title={pool === null ? t.add : t.edit(pool.name)}
      backTo={backTo}
      action={pool === null ? t.create : t.save}
      form={form}
    >
      <TextInput {...form.field('name')} label={t.name} autoComplete="off" required data-autofocus />
      <TextInput {...form.field('network')} label={t.network} description={t.networkSays} autoComplete="off" required />
      <Overlaps pools={overlapping(network, others)} />
      {pool !== null && network.trim() !== pool.network && <Held pool={pool} says={t.otherNetwork} />}
      <TextInput {...form.field('gateway')} label={t.gateway} description={t.gatewaySays} autoComplete="off" />
      <Switch
        name="enabled"
        label={t.enabled}
        description={t.enabledSays}
        checked={enabled}
        onChange={({ currentTarget }) => form.set({ enabled: currentTarget.checked })}
      />
      {pool?.enabled && !enabled && <Held pool={pool} says={t.switchedOff} />}
      {pool !== null && <Remove pool={pool} />}
    </SideForm>
  )
}

/** What holds addresses of the pool now, in words. */
function useHeld(): (pool: Pool) => string {
  const t = useTexts(poolTexts)
  const format = useFormat()
  return ({ used, static: own, logins }) =>
    t.holds(...([used, own, logins].map(format.number) as [string, string, string]))
}

/** What comes of a change, before it is made. */
function Held({ pool, says }: { readonly pool: Pool; readonly says: string }) {
  const held = useHeld()
  return (
    <Alert color="yellow" role="status">
      {held(pool)} {says}
    </Alert>
  )
}

function Remove({ pool }: { readonly pool: Pool }) {
  const t = useTexts(poolTexts)
  const held = useHeld()
  const navigate = useGo()
  const queries = useQueryClient()
  const leave = () => {
    void forget(queries, [poolsEndpoint, conflictsEndpoint])
    void navigate({ to: poolsPath })
  }
  return (
    <RemoveRecord
      name={pool.name}
      says={`${held(pool)} ${pool.logins > 0 ? t.removeKept : t.removeSays}`}
      remove={() => ask('DELETE /admin/dictionary/ip_pulls_crud/{id}/', { path: { id: pool.id } })}
      onDone={leave}
    />
  )
}

import { Button, Select, TextInput } from '@mantine/core'
import { ask } from '../../api/client.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import type { SideFormState } from '../../patterns/form/use-side-form.ts'
import { useLatest } from '../../patterns/latest.ts'
import { useLookup } from '../../patterns/lookup.ts'
import { told } from '../../patterns/told.ts'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './line.module.css'
import { lineTexts } from './texts.ts'

type Field = ReturnType<SideFormState['field']>
type Choice = ReturnType<SideFormState['choice']>

const listedMax = 50

type PoolFieldsProps = {
  readonly pool: Choice
  readonly ip: Field
  /** An address that is free, of the chosen pool or of any. */
  readonly onFree: (ip: string) => void
}

/** The pool of a login and an address of its own, which may be one that is free. */
export function PoolFields({ pool, ip, onFree }: PoolFieldsProps) {
  const t = useTexts(lineTexts)
  const say = useSayRefusal()
  const all = useEndpoint('GET /admin/radius/pools/', {}).data?.items ?? []
  const pools = all.filter((one) => one.enabled && one.size !== null)
  // The one that the login has is named, even where no other login could be given it.
  const choices = all.filter((one) => pools.includes(one) || String(one.id) === pool.value)
  const latest = useLatest({ pool, ip })
  const takeFree = async () => {
    const asked = pool.value === null ? pools : pools.filter(({ id }) => String(id) === pool.value)
    try {
      for (const { id } of asked) {
        const { items } = await ask('GET /admin/radius/pools/{id}/free/', { path: { id }, query: { limit: 1 } })
        if (items[0] === undefined) continue
        const now = latest.current
        // Whoever has typed an address meanwhile, or chosen another pool, means that.
        if (now.pool.value === pool.value && now.ip.value === ip.value) onFree(items[0])
        return
      }
      told.failed(t.noneFree)
    } catch (failure) {
      told.failed(say(failure))
    }
  }
  return (
    <>
      <Select
        {...pool}
        className={styles.wide ?? ''}
        label={t.pool}
        data={choices.map(({ id, name, network }) => ({ value: String(id), label: `${name}, ${network}` }))}
        searchable
        clearable
      />
      <div className={styles.withButton}>
        <TextInput {...ip} label={t.ip} autoComplete="off" />
        <Button variant="default" onClick={() => void takeFree()} disabled={pools.length === 0}>
          {t.freeOf}
        </Button>
      </div>
    </>
  )
}

/** The switch that the line is on, found by a part of its name, address or place, and its port. */
export function PortFields({ device, port }: { readonly device: Choice; readonly port: Field }) {
  const t = useTexts(lineTexts)
  const id = Number(device.value ?? 0)
  const known = useEndpoint('GET /admin/dictionary/switches_crud/{id}/', { path: { id } }, { isEnabled: id !== 0 }).data
  const chosen = known && { value: String(known.id), label: String(known.name) }
  const { q, fieldsOf } = useLookup(chosen?.label)
  const query = { limit: listedMax, ...(q !== '' && { q }) }
  const { data } = useEndpoint('GET /admin/dictionary/switches/', { query })
  const options = (data?.items ?? []).map(({ id, name }) => ({ value: String(id), label: name }))
  const isListed = options.some(({ value }) => value === device.value)
  return (
    <>
      <Select
        {...device}
        label={t.switch}
        data={chosen && !isListed ? [chosen, ...options] : options}
        {...fieldsOf(data).fields}
        clearable
      />
      <TextInput {...port} label={t.port} inputMode="numeric" autoComplete="off" />
    </>
  )
}

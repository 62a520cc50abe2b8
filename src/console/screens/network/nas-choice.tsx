import { Select } from '@mantine/core'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useAddressFilters } from '../../patterns/list/address.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './network.module.css'
import { networkTexts } from './texts.ts'

/** The names of the NAS there are, by id. */
export function useNasNames(): ReadonlyMap<number, string> {
  const { data } = useEndpoint('GET /admin/radius/nas/', {})
  return new Map((data?.items ?? []).map(({ id, name }) => [id, name]))
}

/** The filter `nas` of a list, as the address has it. */
export function NasChoice() {
  const t = useTexts(networkTexts)
  const names = useNasNames()
  const [{ nas = null }, change] = useAddressFilters()
  return (
    <Select
      className={styles.nasChoice ?? ''}
      aria-label={t.nas}
      placeholder={t.allNas}
      data={[...names].map(([id, name]) => ({ value: String(id), label: name }))}
      value={nas}
      onChange={(value) => change({ nas: value ?? undefined })}
      clearable
      searchable
    />
  )
}

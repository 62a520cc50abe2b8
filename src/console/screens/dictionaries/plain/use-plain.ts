import { useMatch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { useMayHave, useMe } from '../../../api/me.tsx'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useFormat } from '../../../format/format.ts'
import { useTexts } from '../../../texts/texts.ts'
import type { Plain, PlainField, PlainRecord } from './description.ts'
import { plainDictionaries } from './dictionaries.ts'
import type { PlainName } from './names.ts'
import { plainTexts } from './texts.ts'

/**
 * The dictionary of the address of the screen: `/admin/dictionaries/folders/` is that of folders. While somebody leaves
 * it, the address of the browser is another one already.
 */
export function usePlain(): { readonly name: PlainName; readonly plain: Plain } {
  const name = useMatch({ strict: false, select: ({ pathname }) => pathname.split('/')[2] }) as PlainName
  return { name, plain: plainDictionaries[name] }
}

/** What the user may do with the records. */
export function useMayWrite({ right, isShared, isAddedByAll }: Plain): {
  readonly add: boolean
  readonly change: boolean
} {
  const may = useMayHave()
  const change = may({ right, ...(isShared && { isShared }) })
  return { change, add: change && may({ ...(isAddedByAll && { isShared: true }) }) }
}

type Option = { readonly value: string; readonly label: string }

const foldersMax = 1_000

/** What may be chosen in a field; undefined: it is typed. */
export function useOptions(): (field: PlainField) => readonly Option[] | undefined {
  const t = useTexts(plainTexts)
  const { organizations } = useMe()
  const { plain } = usePlain()
  const needsFolders = plain.fields.some(({ kind }) => kind === 'folder')
  const asked = { query: { per_page: foldersMax } }
  const folders = useEndpoint('GET /admin/dictionary/folders_crud/', asked, { isEnabled: needsFolders }).data?.items
  return useCallback(
    (field) => {
      const named = (all: readonly { readonly id: number; readonly name: string }[]) =>
        all.map(({ id, name }) => ({ value: String(id), label: name }))
      if (field.kind === 'choice') return field.options.map(([value, label]) => ({ value, label: t[label] }))
      if (field.kind === 'organization') return named(organizations)
      return field.kind === 'folder' ? named(folders ?? []) : undefined
    },
    [t, organizations, folders],
  )
}

/** A value of a record in words. */
export function useSayValue(): (field: PlainField, record: PlainRecord) => string {
  const t = useTexts(plainTexts)
  const format = useFormat()
  const options = useOptions()
  return useMemo(
    () => (field, record) => {
      const value = record[field.name]
      if (value === null || value === undefined) return ''
      if (field.kind === 'flag') return value === true ? t.yes : t.no
      if (field.kind === 'money') return format.money(String(value))
      if (field.kind === 'moment') return format.moment(String(value))
      return options(field)?.find((option) => option.value === String(value))?.label ?? String(value)
    },
    [t, format, options],
  )
}

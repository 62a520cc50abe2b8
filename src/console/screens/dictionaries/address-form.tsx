import { SegmentedControl, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ask } from '../../api/client.ts'
import { forget } from '../../api/use-endpoint.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { addressesPath, homeEndpoint, homesEndpoint, type Node, type PlaceKind, useNode, useShownNode } from './node.ts'
import { RemoveRecord } from './remove-record.tsx'
import { addressTexts, dictionaryTexts } from './texts.ts'

const outdated = [homesEndpoint, homeEndpoint] as const

/** A new city, street or house, or another name for one. */
export default function AddressForm() {
  const { id } = useParams({ strict: false }) as { id?: string }
  const known = useNode(id === undefined ? null : Number(id))
  const { isKnown, node } = useShownNode()
  if (id !== undefined) return known ? <Rename key={known.id} place={known} /> : null
  return isKnown ? <Addition key={node?.id} within={node} /> : null
}

/** After a city comes a street in it, and after a street a house: the form goes on by itself. */
function Addition({ within }: { readonly within: Node | undefined }) {
  const t = useTexts(addressTexts)
  const common = useTexts(dictionaryTexts)
  const navigate = useGo()
  const usual: PlaceKind = within === undefined ? 'city' : within.kind === 'city' ? 'street' : 'house'
  const form = useSideForm({
    initial: { name: '', kind: usual as string },
    check: ({ name }) => (name.trim() === '' ? { name: common.nameNeeded } : {}),
    send: ({ name, kind }) => {
      const body = { kind: kind as PlaceKind, name: name.trim(), parent: within?.id ?? null }
      return ask('POST /admin/dictionary/homes_crud/', { body })
    },
    outdated,
    onDone: ({ id, kind, name }) => {
      told.done(t.added(String(name)))
      const next = kind === 'house' ? { to: addressesPath, in: within?.id } : { to: `${addressesPath}new/`, in: id }
      void navigate({ to: next.to, search: { in: String(next.in) } as never })
    },
  })
  const choices = (['street', 'house'] as const).map((value) => ({ value, label: t[value] }))
  return (
    <SideForm
      title={within === undefined ? t.newCity : t.newIn(within.name)}
      backTo={addressesPath}
      action={common.create}
      form={form}
    >
      {within?.kind === 'city' && (
        <SegmentedControl
          aria-label={t.kind}
          data={choices}
          value={form.values.kind}
          onChange={(kind) => form.set({ kind })}
        />
      )}
      <TextInput
        {...form.field('name')}
        label={t[form.values.kind as PlaceKind]}
        maxLength={255}
        autoComplete="off"
        required
        data-autofocus
      />
    </SideForm>
  )
}

function Rename({ place }: { readonly place: Node }) {
  const t = useTexts(addressTexts)
  const common = useTexts(dictionaryTexts)
  const navigate = useGo()
  const queries = useQueryClient()
  const { id } = place
  const form = useSideForm({
    initial: { name: place.name },
    check: ({ name }) => (name.trim() === '' ? { name: common.nameNeeded } : {}),
    send: ({ name }) => ask('POST /admin/dictionary/homes_crud/{id}/', { path: { id }, body: { name: name.trim() } }),
    outdated,
    onDone: () => {
      told.done(common.saved)
      void navigate({ to: addressesPath, search: true as never })
    },
  })
  const leave = () => {
    void forget(queries, [homesEndpoint])
    void navigate({ to: addressesPath, search: { in: String(place.parent ?? 0) } as never })
  }
  return (
    <SideForm title={t.renameOf(place.name)} backTo={addressesPath} action={common.save} form={form}>
      <TextInput
        {...form.field('name')}
        label={t[place.kind]}
        description={t.renameSays}
        maxLength={255}
        autoComplete="off"
        required
        data-autofocus
      />
      <RemoveRecord
        name={place.name}
        remove={() => ask('DELETE /admin/dictionary/homes_crud/{id}/', { path: { id } })}
        onDone={leave}
      />
    </SideForm>
  )
}

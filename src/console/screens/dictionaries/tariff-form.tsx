import { Group, Switch, Textarea, TextInput } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { type Answer, ask } from '../../api/client.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { readPrice } from '../../format/money.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { Archive } from './archive.tsx'
import { orNull, textOf } from './values.ts'
import { tariffsEndpoint, tariffsPath } from './tariffs.tsx'
import { NameField } from './sold.tsx'
import { dictionaryTexts, tariffTexts } from './texts.ts'

const oneEndpoint = 'GET /admin/dictionary/tarifs_crud/{id}/'
const changeEndpoint = 'POST /admin/dictionary/tarifs_crud/{id}/'
const outdated = [tariffsEndpoint, oneEndpoint] as const
type Tariff = Answer<typeof oneEndpoint>

/** A new tariff, or one that is there, beside the list. */
export default function TariffForm() {
  const { id } = useParams({ strict: false }) as { id?: string }
  const { data, error } = useEndpoint(oneEndpoint, { path: { id: Number(id ?? 0) } }, { isEnabled: id !== undefined })
  if (error && !data) throw error
  if (id === undefined) return <Fields tariff={null} />
  return data ? <Fields key={data.id} tariff={data} /> : null
}

const valuesOf = (tariff: Tariff | null, typed: (text: string) => string) => ({
  name: textOf(tariff?.name),
  price: typed(textOf(tariff?.price)),
  speed_mbit: typed(textOf(tariff?.speed_mbit)),
  upload_mbit: typed(textOf(tariff?.upload_mbit)),
  vlan: textOf(tariff?.vlan),
  is_public: tariff === null ? true : tariff.is_public === true,
  walled_garden: tariff?.walled_garden === true,
  description: textOf(tariff?.description),
})
type FormValues = ReturnType<typeof valuesOf>

/** Undefined: it is no speed. */
function readSpeed(typed: string): number | null | undefined {
  const text = typed.trim().replace(',', '.')
  if (text === '') return null
  return /^\d{1,7}(\.\d{1,3})?$/.test(text) ? Number(text) : undefined
}

const bodyOf = ({ name, price, speed_mbit, upload_mbit, vlan, description, ...flags }: FormValues) => ({
  ...flags,
  name: name.trim(),
  price: readPrice(price) ?? price,
  speed_mbit: readSpeed(speed_mbit) ?? null,
  upload_mbit: readSpeed(upload_mbit) ?? null,
  vlan: vlan.trim() === '' ? null : Number(vlan),
  description: orNull(description),
})

function useTariffForm(tariff: Tariff | null) {
  const t = useTexts(tariffTexts)
  const common = useTexts(dictionaryTexts)
  const { typed } = useFormat()
  const navigate = useGo()
  return useSideForm({
    initial: valuesOf(tariff, typed),
    check: ({ name, price, speed_mbit, upload_mbit, vlan }) => ({
      ...(name.trim() === '' && { name: common.nameNeeded }),
      ...(readPrice(price) === null && { price: common.priceWrong }),
      ...(readSpeed(speed_mbit) === undefined && { speed_mbit: t.speedWrong }),
      ...(readSpeed(upload_mbit) === undefined && { upload_mbit: t.speedWrong }),
      ...(vlan.trim() !== '' && !(Number(vlan) >= 1 && Number(vlan) <= 4094) && { vlan: t.vlanWrong }),
    }),
    send: (values) => {
      const body = bodyOf(values)
      return tariff === null
        ? ask('POST /admin/dictionary/tarifs_crud/', { body })
        : ask(changeEndpoint, { path: { id: tariff.id as number }, body })
    },
    outdated,
    onDone: ({ name }) => {
      told.done(tariff === null ? t.added(String(name)) : common.saved)
      void navigate({ to: tariffsPath, search: true as never })
    },
  })
}

function Fields({ tariff }: { readonly tariff: Tariff | null }) {
  const t = useTexts(tariffTexts)
  const common = useTexts(dictionaryTexts)
  const form = useTariffForm(tariff)
  const title = tariff === null ? t.add : t.edit(String(tariff.name))
  return (
    <SideForm title={title} backTo={tariffsPath} action={tariff === null ? common.create : common.save} form={form}>
      <NameField field={form.field('name')} />
      <TextInput {...form.field('price')} label={common.priceField} inputMode="decimal" autoComplete="off" required />
      <Group grow align="start">
        <TextInput
          {...form.field('speed_mbit')}
          label={t.down}
          description={t.downSays}
          inputMode="decimal"
          autoComplete="off"
        />
        <TextInput
          {...form.field('upload_mbit')}
          label={t.up}
          description={t.upSays}
          inputMode="decimal"
          autoComplete="off"
        />
      </Group>
      <Switch
        name="is_public"
        label={common.isPublic}
        checked={form.values.is_public}
        onChange={({ currentTarget }) => form.set({ is_public: currentTarget.checked })}
      />
      <Switch
        name="walled_garden"
        label={t.garden}
        description={t.gardenSays}
        checked={form.values.walled_garden}
        onChange={({ currentTarget }) => form.set({ walled_garden: currentTarget.checked })}
      />
      <TextInput
        {...form.field('vlan')}
        label={t.vlan}
        description={t.vlanSays}
        inputMode="numeric"
        autoComplete="off"
      />
      <Textarea {...form.field('description')} label={t.description} autosize minRows={2} />
      {tariff !== null && (
        <Archive
          isInUse={tariff.enabled === true}
          change={(body) => ask(changeEndpoint, { path: { id: tariff.id as number }, body })}
          outdated={outdated}
          backTo={tariffsPath}
          says={{ archived: t.archivedNow, restored: t.restoredNow }}
        />
      )}
    </SideForm>
  )
}

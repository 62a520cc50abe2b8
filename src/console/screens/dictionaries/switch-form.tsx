import { Group, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type Answer, ask } from '../../api/client.ts'
import { forget, useEndpoint } from '../../api/use-endpoint.ts'
import { isIp } from '../../format/ip.ts'
import { isMac } from '../../format/mac.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { HomeChoice } from './home-choice.tsx'
import { orNull, textOf } from './values.ts'
import { RemoveRecord } from './remove-record.tsx'
import { switchesEndpoint, switchesPath } from './switches.tsx'
import { dictionaryTexts, switchTexts } from './texts.ts'

export const switchEndpoint = 'GET /admin/dictionary/switches_crud/{id}/'
const outdated = [switchesEndpoint, switchEndpoint] as const
type Device = Answer<typeof switchEndpoint>

/** A new switch, or one that is there, beside the list. */
export default function SwitchForm() {
  const { id } = useParams({ strict: false }) as { id?: string }
  const { data, error } = useEndpoint(
    switchEndpoint,
    { path: { id: Number(id ?? 0) } },
    { isEnabled: id !== undefined },
  )
  if (error && !data) throw error
  if (id === undefined) return <Fields device={null} />
  return data ? <Fields key={data.id} device={data} /> : null
}

const valuesOf = (device: Device | null) => ({
  name: textOf(device?.name),
  ip: textOf(device?.ip),
  mac: textOf(device?.mac),
  model: textOf(device?.model),
  ports_count: textOf(device?.ports_count),
  home: device?.home === null || device === null ? null : textOf(device.home),
  snmp_community: '',
  comment: textOf(device?.comment),
})
type FormValues = ReturnType<typeof valuesOf>

const bodyOf = ({ name, ip, mac, model, ports_count, home, snmp_community, comment }: FormValues) => ({
  name: name.trim(),
  ip: ip.trim(),
  mac: orNull(mac),
  model: orNull(model),
  ports_count: ports_count.trim() === '' ? null : Number(ports_count),
  home: home === null ? null : Number(home),
  comment: orNull(comment),
  ...(snmp_community !== '' && { snmp_community }),
})

function useSwitchForm(device: Device | null) {
  const t = useTexts(switchTexts)
  const common = useTexts(dictionaryTexts)
  const navigate = useGo()
  return useSideForm({
    initial: valuesOf(device),
    check: ({ name, ip, mac, ports_count }) => ({
      ...(name.trim() === '' && { name: common.nameNeeded }),
      ...(!isIp(ip) && { ip: t.ipWrong }),
      ...(mac.trim() !== '' && !isMac(mac) && { mac: t.macWrong }),
      ...(!/^\d{0,5}$/.test(ports_count.trim()) && { ports_count: t.portsWrong }),
    }),
    send: (values) => {
      const body = bodyOf(values)
      return device === null
        ? ask('POST /admin/dictionary/switches_crud/', { body })
        : ask('POST /admin/dictionary/switches_crud/{id}/', { path: { id: device.id as number }, body })
    },
    outdated,
    onDone: ({ id, name }) => {
      told.done(device === null ? t.added(String(name)) : common.saved)
      void navigate({ to: `${switchesPath}${id}/` })
    },
  })
}

function Fields({ device }: { readonly device: Device | null }) {
  const t = useTexts(switchTexts)
  const common = useTexts(dictionaryTexts)
  const form = useSwitchForm(device)
  const backTo = device === null ? switchesPath : `${switchesPath}${device.id}/`
  const title = device === null ? t.add : t.edit(String(device.name))
  return (
    <SideForm title={title} backTo={backTo} action={device === null ? common.create : common.save} form={form}>
      <TextInput {...form.field('name')} label={t.name} maxLength={255} autoComplete="off" required data-autofocus />
      <TextInput {...form.field('ip')} label={t.ip} autoComplete="off" required />
      <TextInput {...form.field('model')} label={t.model} maxLength={255} autoComplete="off" />
      <Group grow align="start">
        <TextInput {...form.field('ports_count')} label={t.portsField} inputMode="numeric" autoComplete="off" />
        <TextInput {...form.field('mac')} label={t.mac} placeholder="AA:BB:CC:DD:EE:FF" autoComplete="off" />
      </Group>
      <HomeChoice {...form.choice('home')} kind="house" label={t.place} description={t.placeSays} />
      <TextInput
        {...form.field('snmp_community')}
        label={t.community}
        autoComplete="off"
        {...(device !== null && { description: t.communityKept })}
      />
      <Textarea {...form.field('comment')} label={t.comment} autosize minRows={2} />
      {device !== null && <Remove device={device} />}
    </SideForm>
  )
}

function Remove({ device }: { readonly device: Device }) {
  const navigate = useGo()
  const queries = useQueryClient()
  const id = device.id as number
  const leave = () => {
    void forget(queries, [switchesEndpoint])
    void navigate({ to: switchesPath })
  }
  return (
    <RemoveRecord
      name={String(device.name)}
      remove={() => ask('DELETE /admin/dictionary/switches_crud/{id}/', { path: { id } })}
      onDone={leave}
    />
  )
}

import { TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { ask } from '../../api/client.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { poolsDoor } from './pools.tsx'
import { poolTexts } from './texts.ts'

const backTo = '/network/pools/'

export default function PoolForm() {
  const t = useTexts(poolTexts)
  const navigate = useNavigate()
  const form = useSideForm({
    initial: { name: '', network: '', gateway: '' },
    send: ({ name, network, gateway }) =>
      ask('POST /admin/dictionary/ip_pulls_crud/', {
        body: { name, network, gateway: gateway === '' ? null : gateway },
      }),
    outdated: [poolsDoor],
    onDone: ({ id, name }) => {
      told.done(t.added(String(name)))
      void navigate({ to: `${backTo}${id}/` })
    },
  })
  return (
    <SideForm title={t.add} backTo={backTo} deed={t.create} form={form}>
      <TextInput {...form.field('name')} label={t.name} autoComplete="off" required data-autofocus />
      <TextInput {...form.field('network')} label={t.network} description={t.networkSays} autoComplete="off" required />
      <TextInput {...form.field('gateway')} label={t.gateway} description={t.gatewaySays} autoComplete="off" />
    </SideForm>
  )
}

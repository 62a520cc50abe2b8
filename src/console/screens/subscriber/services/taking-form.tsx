import { Radio, Stack } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { type Answer, ask } from '../../../api/client.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useFormat } from '../../../format/format.ts'
import { SideForm } from '../../../patterns/form/side-form.tsx'
import { useSideForm } from '../../../patterns/form/use-side-form.ts'
import { useGo } from '../../../patterns/late.ts'
import { told } from '../../../patterns/told.ts'
import { useTexts } from '../../../texts/texts.ts'
import { outdatedByAction, useSubscriber } from '../use-subscriber.ts'
import { servicesTexts } from './texts.ts'

type Service = Answer<'GET /admin/Abonents/services/{id}/'>['services'][number]

/** Takes a service away; what is given back is seen, and chosen, before. */
export default function TakingForm() {
  const { link } = useParams({ strict: false }) as { readonly link: string }
  const { id } = useSubscriber().subscriber
  const { data } = useEndpoint('GET /admin/Abonents/services/{id}/', { path: { id } })
  const service = data?.services.find((one) => one.id === Number(link))
  return service ? <Taking service={service} /> : null
}

function Taking({ service }: { readonly service: Service }) {
  const t = useTexts(servicesTexts)
  const format = useFormat()
  const navigate = useGo()
  const { id, abonent_id, name, gives_back } = service
  const backTo = `/subscribers/${abonent_id}/services/`
  const isGivenBack = Number(gives_back) > 0
  const form = useSideForm({
    initial: { back: 'yes' },
    send: ({ back }) =>
      ask('POST /admin/Abonents/users_usluga_crud/{id}/', {
        path: { id },
        body: { _delete: true, ...(isGivenBack && back === 'yes' && { give_back: true }) },
      }),
    outdated: outdatedByAction,
    onDone: () => {
      told.done(t.taken(name))
      void navigate({ to: backTo })
    },
  })
  return (
    <SideForm title={t.takeAsks(name)} backTo={backTo} action={t.take} isDangerous form={form}>
      {isGivenBack ? (
        <Radio.Group {...form.choice('back')} label={t.rest}>
          <Stack mt="xs" gap="xs">
            <Radio value="yes" label={t.restBack(format.money(gives_back))} />
            <Radio value="no" label={t.restKept} />
          </Stack>
        </Radio.Group>
      ) : (
        <Consequence service={service} />
      )}
    </SideForm>
  )
}

function Consequence({ service: { is_promise, limit, charged_through: through } }: { readonly service: Service }) {
  const t = useTexts(servicesTexts)
  const format = useFormat()
  if (is_promise) return <p>{t.takePromise(format.money(limit))}</p>
  return <p>{through === null ? t.takeFree : t.takeCharged(format.plainDay(through))}</p>
}

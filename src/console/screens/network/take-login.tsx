import { Radio, Stack } from '@mantine/core'
import { useRouterState, useSearch } from '@tanstack/react-router'
import { type Answer, ask } from '../../api/client.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { useTexts } from '../../texts/texts.ts'
import { SubscriberChoice } from '../line/subscriber-choice.tsx'
import { isByMac } from './make-login.tsx'
import { unknownTexts } from './sign-in-texts.ts'

const endpoint = 'GET /admin/Abonents/subscribers/{id}/'
type Login = Answer<typeof endpoint>['subscriber']['logins'][number]

const newLogin = 'new'

/** A device that names itself by its MAC is usually another one of a login that is there. */
const usual = (logins: readonly Login[], isDevice: boolean): string =>
  isDevice && logins[0] ? String(logins[0].id) : newLogin

/** Whose an unknown login is: then the form of the card follows, with what the device has sent. */
export default function TakeLogin() {
  const t = useTexts(unknownTexts)
  const navigate = useGo()
  const here = useRouterState({ select: ({ location }) => location.pathname })
  const { unknown = null, device = null } = useSearch({ strict: false }) as { unknown?: string; device?: string }
  const isDevice = isByMac({ login: unknown, mac: device })
  const form = useSideForm({
    isKept: false,
    initial: { subscriber: null as string | null, into: null as string | null },
    check: ({ subscriber }) => (subscriber === null ? { subscriber: t.whoNeeded } : {}),
    // Who was chosen may have been deleted meanwhile.
    send: async ({ subscriber, into }) => {
      const { subscriber: found } = await ask(endpoint, { path: { id: Number(subscriber) } })
      return { id: found.id, into: into ?? usual(found.logins, isDevice) }
    },
    onDone: ({ id, into }) => {
      const card = `/subscribers/${id}/connection/login/`
      const mac = device ?? undefined
      const search = into === newLogin ? { login: isDevice ? undefined : unknown, mac } : { mac }
      void navigate({ to: into === newLogin ? `${card}new/` : `${card}${into}/mac/`, search: search as never })
    },
  })
  const { subscriber, into } = form.values
  const logins = useLoginsOf(subscriber)
  return (
    <SideForm title={t.whose} backTo={here.replace(/take\/$/, '')} action={t.further} form={form}>
      <p>{[unknown, device].filter((text, at, all) => text && all.indexOf(text) === at).join(' · ')}</p>
      <SubscriberChoice
        {...form.choice('subscriber')}
        label={t.subscriber}
        onChange={(chosen) => form.set({ subscriber: chosen, into: null })}
      />
      {logins && device !== null && (
        <Into
          field={{ ...form.choice('into'), value: into ?? usual(logins, isDevice) }}
          logins={logins}
          device={device}
        />
      )}
    </SideForm>
  )
}

/** Undefined while they are not known. */
function useLoginsOf(subscriber: string | null): readonly Login[] | undefined {
  const { data } = useEndpoint(endpoint, { path: { id: Number(subscriber) } }, { isEnabled: subscriber !== null })
  return data?.subscriber.logins
}

type IntoProps = {
  readonly field: { readonly value: string | null; readonly onChange: (value: string | null) => void }
  readonly logins: readonly Login[]
  readonly device: string
}

/** The MAC goes into a login that the subscriber has, or into a new one. */
function Into({ field, logins, device }: IntoProps) {
  const t = useTexts(unknownTexts)
  return (
    <Radio.Group {...field} label={t.what}>
      <Stack mt="xs" gap="xs">
        {logins.map(({ id, login, mac }) => (
          <Radio key={id} value={String(id)} label={t.into(login, device)} description={mac && t.inPlaceOf(mac)} />
        ))}
        <Radio value={newLogin} label={t.newLogin} />
      </Stack>
    </Radio.Group>
  )
}

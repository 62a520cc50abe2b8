import { Checkbox, Input, MultiSelect, Stack, Switch, TextInput } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { type Answer, ask } from '../../api/client.ts'
import { useMe } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { GivenOnce } from '../../patterns/given-once.tsx'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { type Webhook, webhookEndpoint, outdatedByWebhook, webhooksPath } from './endpoints.ts'
import { eventNames, webhookTexts } from './texts.ts'

type EventName = Webhook['events'][number]
type Made = Answer<'POST /admin/webhooks/endpoints/'>

/** The test has no choice: it goes to the endpoint that is tested. */
const everyEvent = Object.keys(eventNames.ru).filter((name) => name !== 'webhook.test') as readonly EventName[]

/** A new endpoint, whose secret is shown once, or one that is there. */
export default function EndpointForm() {
  const { id } = useParams({ strict: false }) as { readonly id?: string }
  const { data, error } = useEndpoint(
    webhookEndpoint,
    { path: { id: Number(id ?? 0) } },
    { isEnabled: id !== undefined },
  )
  if (error && !data) throw error
  if (id === undefined) return <Fields endpoint={null} />
  return data ? <Fields key={data.endpoint.id} endpoint={data.endpoint} /> : null
}

const split = (joined: string): readonly string[] => (joined === '' ? [] : joined.split(','))

function useEndpointForm(endpoint: Webhook | null, onMade: (made: Made) => void) {
  const t = useTexts(webhookTexts)
  const { all_organizations: seesAll } = useMe().user
  const navigate = useGo()
  return useSideForm({
    initial: {
      url: endpoint?.url ?? 'https://',
      description: endpoint?.description ?? '',
      events: (endpoint?.events ?? everyEvent).join(),
      everywhere: endpoint ? endpoint.organizations === null : seesAll,
      organizations: (endpoint?.organizations ?? []).join(),
      enabled: endpoint?.enabled ?? true,
    },
    check: ({ url, events, everywhere, organizations }) => ({
      ...(!/^https?:\/\/\S+$/.test(url.trim()) && { url: t.urlNeeded }),
      ...(events === '' && { events: t.eventsNeeded }),
      ...(!everywhere && organizations === '' && { organizations: t.organizationsNeeded }),
    }),
    send: async ({ url, description, events, everywhere, organizations, enabled }) => {
      const body = {
        url: url.trim(),
        description: description.trim(),
        events: split(events) as EventName[],
        organizations: everywhere ? null : split(organizations).map(Number),
        enabled,
      }
      if (endpoint === null) return ask('POST /admin/webhooks/endpoints/', { body })
      return { ...(await ask('POST /admin/webhooks/endpoints/{id}/', { path: { id: endpoint.id }, body })), secret: '' }
    },
    outdated: outdatedByWebhook,
    onDone: (made) => {
      if (made.secret !== '') return onMade(made)
      told.done(t.saved)
      void navigate({ to: `${webhooksPath}${made.endpoint.id}/` })
    },
  })
}

function Fields({ endpoint }: { readonly endpoint: Webhook | null }) {
  const t = useTexts(webhookTexts)
  const navigate = useGo()
  const [made, setMade] = useState<Made | null>(null)
  const form = useEndpointForm(endpoint, setMade)
  if (made) {
    const leave = () => void navigate({ to: `${webhooksPath}${made.endpoint.id}/` })
    return <GivenOnce title={t.given} says={t.givenSays} values={[[t.secret, made.secret]]} onClose={leave} />
  }
  return (
    <SideForm
      title={endpoint ? t.editOf(endpoint.url) : t.add}
      backTo={endpoint ? `${webhooksPath}${endpoint.id}/` : webhooksPath}
      action={endpoint ? t.save : t.create}
      form={form}
    >
      <TextInput
        {...form.field('url')}
        label={t.url}
        description={t.urlSays}
        maxLength={2000}
        autoComplete="off"
        data-autofocus
      />
      <TextInput {...form.field('description')} label={t.description} maxLength={200} autoComplete="off" />
      <Events form={form} />
      <Organizations form={form} />
      <Switch
        name="enabled"
        label={t.enabled}
        checked={form.values.enabled}
        onChange={({ currentTarget }) => form.set({ enabled: currentTarget.checked })}
      />
    </SideForm>
  )
}

type FormProps = { readonly form: ReturnType<typeof useEndpointForm> }

function Events({ form }: FormProps) {
  const t = useTexts(webhookTexts)
  const names = useTexts(eventNames)
  const chosen = split(form.values.events)
  return (
    <Input.Wrapper label={t.events} error={form.field('events').error} labelElement="div">
      <Stack gap="xs" mt="xs" role="group" aria-label={t.events}>
        {everyEvent.map((name) => (
          <Checkbox
            key={name}
            name="events"
            label={names[name]}
            description={name}
            checked={chosen.includes(name)}
            onChange={({ currentTarget: { checked } }) =>
              form.set({ events: everyEvent.filter((one) => (one === name ? checked : chosen.includes(one))).join() })
            }
          />
        ))}
      </Stack>
    </Input.Wrapper>
  )
}

function Organizations({ form }: FormProps) {
  const t = useTexts(webhookTexts)
  const { user, organizations } = useMe()
  if (organizations.length < 2) return null
  return (
    <>
      {user.all_organizations && (
        <Switch
          name="everywhere"
          label={`${t.organizations}: ${t.everyOrganization}`}
          checked={form.values.everywhere}
          onChange={({ currentTarget }) => form.set({ everywhere: currentTarget.checked })}
        />
      )}
      {!form.values.everywhere && (
        <MultiSelect
          name="organizations"
          label={t.organizations}
          error={form.field('organizations').error}
          data={organizations.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={[...split(form.values.organizations)]}
          onChange={(chosen) => form.set({ organizations: chosen.join() })}
        />
      )}
    </>
  )
}

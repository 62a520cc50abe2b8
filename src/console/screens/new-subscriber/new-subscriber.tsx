import { Button, Checkbox, Group, Textarea, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../api/me.tsx'
import { FormBody } from '../../patterns/form/form-body.tsx'
import { SendButton } from '../../patterns/form/send-button.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { useTexts } from '../../texts/texts.ts'
import { type Given, GivenLogin } from '../line/given-login.tsx'
import { AddressFields } from './address-fields.tsx'
import { type NewForm, useNewForm } from './form.ts'
import { LineFields } from './line-fields.tsx'
import styles from './new-subscriber.module.css'
import { PaymentFields, TariffFields } from './tariff-fields.tsx'
import { newTexts } from './texts.ts'

const proposalsEndpoint = 'GET /admin/Abonents/create/'

/** Person, address, tariff, line and first payment on one form, which one press sends and one commit carries out. */
export default function NewSubscriber() {
  const t = useTexts(newTexts)
  const [given, setGiven] = useState<(Given & { readonly toCard: () => void }) | null>(null)
  const form = useNewForm((login, toCard) => setGiven({ ...login, toCard }))
  const navigate = useNavigate()
  const may = useMay()
  const proposals = useEndpoint(proposalsEndpoint, {}).data
  return (
    <FormBody form={form} className={styles.form} head={<PageHead title={t.title} />}>
      <div className={styles.parts}>
        <div>
          <PersonFields form={form} number={proposals?.contract_number ?? ''} />
          <TariffFields form={form} tariffs={proposals?.tariffs ?? []} services={proposals?.services ?? []} />
          {may('money') && <PaymentFields form={form} />}
        </div>
        <div>
          <AddressFields form={form} />
          <LineFields form={form} login={form.values.contract_number === '' ? (proposals?.login ?? '') : ''} />
        </div>
      </div>
      <Group justify="flex-end" className={styles.send ?? ''}>
        <Button variant="default" onClick={() => void navigate({ to: '/subscribers/' })}>
          {t.cancel}
        </Button>
        <SendButton isBusy={form.isBusy}>{t.create}</SendButton>
      </Group>
      {given && <GivenLogin given={given} onClose={given.toCard} />}
    </FormBody>
  )
}

function PersonFields({ form, number }: { readonly form: NewForm; readonly number: string }) {
  const t = useTexts(newTexts)
  return (
    <Panel title={t.person}>
      <div className={styles.fields}>
        <TextInput
          {...form.field('name')}
          label={t.name}
          autoComplete="off"
          required
          autoFocus
          className={styles.wide}
        />
        <TextInput
          {...form.field('contract_number')}
          label={t.contract}
          placeholder={number === '' ? '' : t.proposed(number)}
          autoComplete="off"
        />
        <TextInput {...form.field('sms')} label={t.phone} type="tel" autoComplete="off" />
        <TextInput {...form.field('email')} label={t.email} type="email" autoComplete="off" />
        <Checkbox
          label={t.company}
          checked={form.values.company}
          onChange={({ currentTarget }) => form.set({ company: currentTarget.checked })}
          className={styles.check}
        />
        <Textarea {...form.field('comment')} label={t.comment} autosize minRows={1} className={styles.wide} />
      </div>
    </Panel>
  )
}

import { Button } from '@mantine/core'
import { Outlet, useNavigate } from '@tanstack/react-router'
import { useMay } from '../../../api/me.tsx'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Panel } from '../../../patterns/panel.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { cardTexts } from '../texts.ts'
import { useSubscriber } from '../use-subscriber.ts'
import { ComingCharges } from './bill.tsx'
import { ServiceTable } from './service-table.tsx'
import { TariffTable } from './tariff-table.tsx'
import { servicesTexts } from './texts.ts'

/** Tariff and services with their dates, prices and state, and what will be charged for them. */
export default function Services() {
  const t = useTexts(servicesTexts)
  const card = useTexts(cardTexts)
  const may = useMay()
  const navigate = useNavigate()
  const { subscriber } = useSubscriber()
  const { id, deleted } = subscriber
  const tab = useEndpoint('GET /admin/Abonents/services/{id}/', { path: { id } })
  if (tab.isError && !tab.data) throw tab.error
  const mayChange = may('change') && !deleted
  const go = (form: string) => void navigate({ to: `/subscribers/${id}/services/${form}/` })
  return (
    <>
      {tab.data && (
        <>
          <Panel
            title={t.tariff}
            actions={
              mayChange && (
                <Button variant="default" onClick={() => go('tariff')}>
                  {card.changeTariff}
                </Button>
              )
            }
          >
            <TariffTable tab={tab.data} subscriber={subscriber} />
          </Panel>
          <Panel
            title={t.services}
            actions={
              mayChange && (
                <Button variant="default" onClick={() => go('give')}>
                  {card.giveService}
                </Button>
              )
            }
          >
            <ServiceTable services={tab.data.services} charges={tab.data.charges} mayChange={mayChange} />
          </Panel>
          <Panel title={t.coming}>
            <ComingCharges bill={tab.data} />
          </Panel>
        </>
      )}
      <Outlet />
    </>
  )
}

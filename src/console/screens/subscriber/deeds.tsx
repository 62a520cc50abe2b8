import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { Right } from '../../../domain/staff-user.ts'
import { useMay } from '../../api/me.tsx'
import { useConfirm } from '../../patterns/confirm.tsx'
import { useTold } from '../../patterns/use-told.ts'
import { type Deed, useDeeds } from '../../search/deeds.ts'
import { useTexts } from '../../texts/texts.ts'
import { useAsClient } from './as-client.ts'
import styles from './card.module.css'
import { cardTexts } from './texts.ts'
import { type Card, outdatedByDeed } from './use-subscriber.ts'

/** What may be done from anywhere on the card, the most usual first. */
export function Deeds({ card: { subscriber, sessions } }: { readonly card: Card }) {
  const t = useTexts(cardTexts)
  const may = useMay()
  const confirm = useConfirm()
  const navigate = useNavigate()
  const { id, name, deleted, blocks } = subscriber
  const block = useTold('POST /admin/abonents/block/{id}/', outdatedByDeed)
  const unblock = useTold('POST /admin/abonents/unblock/{id}/', outdatedByDeed)
  const disconnect = useTold('POST /admin/abonents/reconnect/{id}/', outdatedByDeed)
  const restore = useTold('POST /admin/Abonents/restore/{id}/', outdatedByDeed)
  const go = (tab: string) => void navigate({ to: `/subscribers/${id}/${tab}/` })
  const run = (deed: typeof block | typeof unblock | typeof disconnect | typeof restore, done: string) =>
    deed.run({ path: { id } }, done)
  const showAsClient = useAsClient(id)
  const askToBlock = async () => {
    const isSure = await confirm({ title: t.blockAsks(name), says: t.blockSays, deed: t.block, isDangerous: true })
    if (isSure) run(block, t.blocked)
  }
  const deeds = [
    { title: t.restore, icon: 'undo', right: 'change', isShown: deleted, run: () => run(restore, t.restored) },
    { title: t.payment, icon: 'money', right: 'money', isShown: !deleted, run: () => go('money/payment') },
    { title: t.promise, icon: 'clock', right: 'money', isShown: !deleted, run: () => go('money/promise') },
    { title: t.changeTariff, icon: 'filter', right: 'change', isShown: !deleted, run: () => go('services/tariff') },
    { title: t.giveService, icon: 'plus', right: 'change', isShown: !deleted, run: () => go('services/give') },
    blocks.includes('operator')
      ? { title: t.unblock, icon: 'check', right: 'change', isShown: !deleted, run: () => run(unblock, t.unblocked) }
      : { title: t.block, icon: 'stop', right: 'change', isShown: !deleted, run: () => void askToBlock() },
    {
      title: t.disconnect,
      icon: 'flash',
      right: 'change',
      isShown: !deleted && sessions.length > 0,
      run: () => run(disconnect, t.disconnected),
    },
    { title: t.asClient, icon: 'screen', right: 'change', isShown: !deleted, run: () => void showAsClient() },
  ] as const satisfies readonly (Deed & { right: Right; isShown: boolean })[]
  const offered = deeds.filter(({ right, isShown }) => isShown && may(right))
  useDeeds(offered)
  const isPending = [block, unblock, disconnect, restore].some((deed) => deed.isPending)
  return (
    <div className={styles.deeds}>
      {offered.map(({ title, icon, run: does }, at) => (
        <Button
          // The button that blocks becomes the one that opens, and the focus stays in it.
          key={icon === 'stop' || icon === 'check' ? 'block' : title}
          variant={at === 0 ? 'filled' : 'default'}
          data-disabled={isPending}
          aria-disabled={isPending}
          onClick={() => isPending || does()}
        >
          {title}
        </Button>
      ))}
    </div>
  )
}

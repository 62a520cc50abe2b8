import { ActionIcon, Button, Menu } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import type { Right } from '../../../domain/staff-user.ts'
import { useMay } from '../../api/me.tsx'
import { narrowScreen } from '../../frame/narrow.ts'
import { useMatches } from '../../frame/use-matches.ts'
import { useConfirm } from '../../patterns/confirm.tsx'
import { focusBack } from '../../patterns/focus-back.ts'
import { Icon } from '../../patterns/icon.tsx'
import { useTold } from '../../patterns/use-told.ts'
import { type Action, useActions } from '../../search/actions.ts'
import { useTexts } from '../../texts/texts.ts'
import { useAsClient } from './as-client.ts'
import styles from './card.module.css'
import { cardTexts } from './texts.ts'
import { type Card, outdatedByAction } from './use-subscriber.ts'

/** What may be done from anywhere on the card, the most usual first. */
export function Actions({ card: { subscriber, sessions } }: { readonly card: Card }) {
  const t = useTexts(cardTexts)
  const may = useMay()
  const confirm = useConfirm()
  const navigate = useNavigate()
  const { id, name, deleted, blocks } = subscriber
  const block = useTold('POST /admin/abonents/block/{id}/', outdatedByAction)
  const unblock = useTold('POST /admin/abonents/unblock/{id}/', outdatedByAction)
  const disconnect = useTold('POST /admin/abonents/reconnect/{id}/', outdatedByAction)
  const restore = useTold('POST /admin/Abonents/restore/{id}/', outdatedByAction)
  const go = (tab: string) => void navigate({ to: `/subscribers/${id}/${tab}/` })
  const run = (action: typeof block | typeof unblock | typeof disconnect | typeof restore, done: string) =>
    action.run({ path: { id } }, done)
  const showAsClient = useAsClient(id)
  const askToBlock = async () => {
    const isSure = await confirm({ title: t.blockAsks(name), says: t.blockSays, action: t.block, isDangerous: true })
    if (isSure) run(block, t.blocked)
  }
  const actions = [
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
      isShown: !deleted,
      isPossible: sessions.length > 0,
      run: () => run(disconnect, t.disconnected),
    },
    { title: t.asClient, icon: 'screen', right: 'change', isShown: !deleted, run: () => void showAsClient() },
  ] as const satisfies readonly (Placed & { right: Right; isShown: boolean })[]
  const offered: readonly Placed[] = actions.filter(({ right, isShown }) => isShown && may(right))
  useActions(offered.filter(isPossible))
  const isPending = [block, unblock, disconnect, restore].some((action) => action.isPending)
  return <Buttons actions={offered} isPending={isPending} />
}

/** What cannot be done just now keeps its place, so that no other button comes under a hand when it is over. */
type Placed = Action & { readonly isPossible?: boolean }

const isPossible = ({ isPossible = true }: Placed): boolean => isPossible

type ButtonsProps = { readonly actions: readonly Placed[]; readonly isPending: boolean }

/** So many stand on a telephone, and the others in a menu beside them. */
const fewActions = 2

function Buttons({ actions, isPending }: ButtonsProps) {
  const t = useTexts(cardTexts)
  const isNarrow = useMatches(narrowScreen)
  const shown = isNarrow && actions.length > fewActions + 1 ? actions.slice(0, fewActions) : actions
  const others = actions.slice(shown.length)
  const more = useRef<HTMLButtonElement>(null)
  return (
    <div className={styles.actions}>
      {shown.map((action, at) => {
        const { title, icon, run } = action
        // The button that blocks becomes the one that opens, and the focus stays in it.
        const isBlock = icon === 'stop' || icon === 'check'
        const isDisabled = isPending || !isPossible(action)
        return (
          <Button
            key={isBlock ? 'block' : title}
            variant={at === 0 ? 'filled' : 'default'}
            data-blocking={isBlock ? '' : undefined}
            data-disabled={isDisabled}
            aria-disabled={isDisabled}
            onClick={() => isDisabled || run()}
          >
            {title}
          </Button>
        )
      })}
      {others.length > 0 && (
        <Menu position="bottom-end" shadow="md" keepMounted={false}>
          <Menu.Target>
            <ActionIcon ref={more} variant="default" className={styles.more ?? ''} aria-label={t.more}>
              <Icon name="more" />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {others.map((action) => (
              <Menu.Item
                key={action.title}
                leftSection={<Icon name={action.icon ?? 'flash'} size={16} />}
                disabled={isPending || !isPossible(action)}
                onClick={() => {
                  // It is gone when a dialog of the action gives the focus back.
                  focusBack(more.current)
                  action.run()
                }}
              >
                {action.title}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
  )
}

import { useMemo } from 'react'
import { useSend } from '../../api/use-endpoint.ts'
import { useConfirm } from '../../patterns/confirm.tsx'
import { told } from '../../patterns/told.ts'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { sessionTexts } from './texts.ts'

/** What is told of the session that is to be cut. */
export type Session = { readonly id: number; readonly login: string; readonly abonent_name: string | null }

/** Asks, orders and tells. Each resolves with whether it was done. */
export function useDisconnect() {
  const t = useTexts(sessionTexts)
  const confirm = useConfirm()
  const say = useSayRefusal()
  const { mutateAsync, isPending } = useSend('POST /admin/radius/sessions/disconnect/', ['GET /admin/radius/sessions/'])
  return useMemo(() => {
    const run = async (
      title: string,
      body: { readonly ids: number[] } | { readonly nas: number },
      whose: string | null = null,
    ) => {
      const says = whose === null ? t.asksSays : t.asksSaysOf(whose)
      if (!(await confirm({ title, says, action: t.disconnect, isDangerous: true }))) return false
      try {
        const { sent } = await mutateAsync({ body })
        told.done(t.sent(sent))
        return true
      } catch (error) {
        told.failed(say(error))
        return false
      }
    }
    return {
      isBusy: isPending,
      ofOne: ({ id, login, abonent_name: whose }: Session) => run(`${t.disconnectOne(login)}?`, { ids: [id] }, whose),
      ofMany: (sessions: readonly Session[]) => run(t.asks(sessions.length), { ids: sessions.map(({ id }) => id) }),
      ofNas: (nas: number, name: string) => run(t.asksAll(name), { nas }),
    }
  }, [t, confirm, say, mutateAsync, isPending])
}

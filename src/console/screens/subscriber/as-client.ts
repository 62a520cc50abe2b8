import { useQueryClient } from '@tanstack/react-query'
import { ask } from '../../api/client.ts'
import { forget } from '../../api/use-endpoint.ts'
import { told } from '../../patterns/told.ts'
import { useSayRefusal } from '../../texts/refusals.ts'

/** Opens the portal as the client sees it, in a tab of its own, where it can only be looked at. */
export function useAsClient(id: number): () => Promise<void> {
  const say = useSayRefusal()
  const queries = useQueryClient()
  return async () => {
    // Browsers open a tab for a press, but not for an answer that comes later.
    const tab = window.open('', '_blank')
    try {
      const { path } = await ask('POST /admin/Abonents/as_client/{id}/', { path: { id } })
      if (tab) {
        tab.opener = null
        tab.location.replace(path)
      } else window.location.assign(path)
      await forget(queries, ['GET /admin/Abonents/log/{id}/'])
    } catch (refused) {
      tab?.close()
      told.failed(say(refused))
    }
  }
}

import { useLocation, useNavigate, useRouter } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
import { type Question, useConfirm } from './confirm.tsx'

type Navigate = ReturnType<typeof useNavigate>

/**
 * Leads elsewhere after an answer, as `useNavigate` does after a press. The answer may be late: whoever has left the
 * screen or the form meanwhile stays where they are. What was pressed may be gone with the answer, as that of a record
 * which was deleted, and a filter that was being typed may have changed the address.
 */
export function useGo(): Navigate {
  const navigate = useNavigate()
  const { history } = useRouter()
  const isThere = useIsThere()
  // Drawn anew with each address, because a card stays while forms beside it come and go: the press is what counts.
  useLocation()
  const { pathname, state } = history.location
  const go = async (where: Parameters<Navigate>[0]) => {
    const now = history.location
    const isSame = now.state.__TSR_key === state.__TSR_key || (isThere() && now.pathname === pathname)
    if (isSame) await navigate(where)
  }
  return go as Navigate
}

/**
 * Asks, as `useConfirm` does, about what an answer has said. Where the form is gone nothing is asked: over another
 * screen a hand that does something else would say yes.
 */
export function useLateConfirm(): (question: Question) => Promise<boolean> {
  const confirm = useConfirm()
  const isThere = useIsThere()
  return async (question) => isThere() && (await confirm(question))
}

/** Whether the component is still there, for what comes of an answer: nobody sees what a form says that was closed. */
export function useIsThere(): () => boolean {
  const isThere = useRef(true)
  useEffect(() => {
    isThere.current = true
    return () => {
      isThere.current = false
    }
  }, [])
  return useCallback(() => isThere.current, [])
}

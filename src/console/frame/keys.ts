import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useMayHave } from '../api/me.tsx'
import { useLatest } from '../patterns/latest.ts'
import { isHeld } from '../patterns/layers.ts'
import { linkOf } from '../patterns/list/address.ts'
import { everyPlace, type Place } from './places.ts'

/** How long after `g` the letter of a place is waited for. */
const chordMs = 1_500

/** Whether a key is typed into something, so that it is no shortcut. */
export const isTyping = (event: KeyboardEvent): boolean =>
  event.target instanceof HTMLElement &&
  event.target.closest('input, textarea, select, [contenteditable="true"]') !== null

/** While a dialog is open its keys are its own. */
const isInDialog = (): boolean => document.querySelector('[role=dialog], [role=menu]') !== null

/** A key without its layout: a Russian keyboard has the same places for the letters. */
const letterOf = (event: KeyboardEvent): string =>
  event.code.startsWith('Key') ? event.code.slice(3).toLowerCase() : event.key

type Actions = { readonly search: () => void; readonly help: () => void }

/** The keys of the frame: Ctrl+K and `/` search, `?` helps, `g` and a letter lead to a place. */
export function useKeys(actions: Actions): void {
  const navigate = useNavigate()
  const may = useMayHave()
  const latest = useLatest(actions)
  useEffect(() => {
    let chordAt = 0
    const go = (place: Place) => void navigate(linkOf(place.to))
    const hear = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && letterOf(event) === 'k') {
        event.preventDefault()
        if (!isHeld()) latest.current.search()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || isInDialog()) return
      const isSecond = Date.now() - chordAt < chordMs
      chordAt = 0
      const letter = letterOf(event)
      const place = isSecond ? everyPlace.find((one) => one.letter === letter && may(one)) : undefined
      if (place) go(place)
      else if (letter === 'g') chordAt = Date.now()
      else if (event.key === '?' || (event.shiftKey && event.code === 'Slash')) latest.current.help()
      else if (event.key === '/' || event.code === 'Slash') latest.current.search()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', hear)
    return () => removeEventListener('keydown', hear)
  }, [navigate, may])
}

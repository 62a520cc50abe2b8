import { Select } from '@mantine/core'
import { useState } from 'react'
import { useLatest } from '../../patterns/latest.ts'
import { told } from '../../patterns/told.ts'
import { useLookup } from '../../patterns/lookup.ts'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { type Place, type PlaceKind, useNewPlace, usePlaces } from './places.ts'
import { newTexts } from './texts.ts'

type PlaceChoiceProps = {
  readonly kind: PlaceKind
  readonly label: string
  readonly name: string
  /** What it lies in; null: nothing is chosen there yet. A city lies in nothing. */
  readonly within: number | null
  readonly chosen: Place | null
  readonly onChosen: (place: Place | null) => void
  readonly error?: string | undefined
}

/** The option that adds what was typed; ids are numbers, so it is none of them. */
const addition = 'new'

/**
 * Chooses a city, a street or a house by typing. What is not there yet is added on the spot. Where nothing is chosen
 * yet that it could lie in, it says so and takes the focus all the same: a street that is being added comes soon.
 */
export function PlaceChoice({ kind, label, name, within, chosen, onChosen, error }: PlaceChoiceProps) {
  const t = useTexts(newTexts)
  const say = useSayRefusal()
  const create = useNewPlace()
  const [isBusy, setBusy] = useState(false)
  const latest = useLatest({ chosen, within })
  const { typed, q, fieldsOf } = useLookup(chosen?.name)
  const answer = usePlaces(kind, within, q)
  const found = answer ?? []
  const wanted = typed.trim()
  const isWanted = ({ name }: Place) => name.toLowerCase() === wanted.toLowerCase()
  // Enter takes the first one. The number of a house is typed as a whole, so `1` is not `1а` or `10`.
  const listed = chosen && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found
  const places = listed.toSorted((a, b) => Number(isWanted(b)) - Number(isWanted(a)))
  const isNowhere = kind !== 'city' && within === null
  const isKnown = places.some(isWanted)
  const canAdd = wanted !== '' && !isKnown && !isBusy && !isNowhere
  const { isPresent, fields } = fieldsOf(answer)
  const options = places.map((place) => ({ value: String(place.id), label: place.name }))
  const added = { value: addition, label: t.add(wanted) }
  const choose = async (value: string | null) => {
    if (value !== addition) return onChosen(places.find(({ id }) => String(id) === value) ?? null)
    setBusy(true)
    try {
      const made = await create(kind, wanted, within)
      // Whoever has chosen something else meanwhile, here or around it, means that.
      if (latest.current.chosen === chosen && latest.current.within === within) onChosen(made)
    } catch (failure) {
      told.failed(say(failure))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Select
      name={name}
      label={label}
      clearable
      data={!canAdd ? options : kind === 'house' ? [added, ...options] : [...options, added]}
      {...fields}
      selectFirstOptionOnChange={isPresent && wanted !== ''}
      value={chosen === null ? null : String(chosen.id)}
      onChange={(value) => void choose(value)}
      nothingFoundMessage={isNowhere ? (kind === 'street' ? t.cityFirst : t.streetFirst) : t.nothingFound}
      error={error}
    />
  )
}

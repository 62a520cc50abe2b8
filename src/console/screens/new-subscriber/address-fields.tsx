import { TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Panel } from '../../patterns/panel.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { NewForm } from './form.ts'
import styles from './new-subscriber.module.css'
import { PlaceChoice } from './place-choice.tsx'
import { type Place, usePlaces } from './places.ts'
import { newTexts } from './texts.ts'

/** City, street, house and flat. A provider of one city finds it chosen. */
export function AddressFields({ form }: { readonly form: NewForm }) {
  const t = useTexts(newTexts)
  const [city, setCity] = useState<Place | null>(null)
  const [street, setStreet] = useState<Place | null>(null)
  const [house, setHouse] = useState<Place | null>(null)
  const cities = usePlaces('city', null, '') ?? []
  const only = cities.length === 1 ? cities[0]! : null
  useEffect(() => {
    if (only) setCity((chosen) => chosen ?? only)
  }, [only])
  const chooseHouse = (place: Place | null) => {
    setHouse(place)
    form.set({ home: place === null ? null : String(place.id) })
  }
  const chooseStreet = (place: Place | null) => {
    setStreet(place)
    if (place?.id !== street?.id) chooseHouse(null)
  }
  const chooseCity = (place: Place | null) => {
    setCity(place)
    if (place?.id !== city?.id) chooseStreet(null)
  }
  return (
    <Panel title={t.address}>
      <div className={styles.fields}>
        <PlaceChoice kind="city" name="city" label={t.city} within={null} chosen={city} onChosen={chooseCity} />
        <PlaceChoice
          key={`street ${city?.id}`}
          kind="street"
          name="street"
          label={t.street}
          within={city?.id ?? null}
          chosen={street}
          onChosen={chooseStreet}
        />
        <PlaceChoice
          key={`house ${street?.id}`}
          kind="house"
          name="home"
          label={t.house}
          within={street?.id ?? null}
          chosen={house}
          onChosen={chooseHouse}
          error={form.field('home').error}
        />
        <TextInput {...form.field('flat')} label={t.flat} autoComplete="off" />
      </div>
    </Panel>
  )
}

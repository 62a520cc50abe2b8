import { TextInput } from '@mantine/core'
import { useEffect } from 'react'
import { useDraft } from '../../api/drafts.ts'
import { Panel } from '../../patterns/panel.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { NewForm } from './form.ts'
import styles from './new-subscriber.module.css'
import { PlaceChoice } from './place-choice.tsx'
import { type Place, usePlaces } from './places.ts'
import { newTexts } from './texts.ts'

const nowhere = { city: null as Place | null, street: null as Place | null, house: null as Place | null }

/** City, street, house and flat. A provider of one city finds it chosen. */
export function AddressFields({ form }: { readonly form: NewForm }) {
  const t = useTexts(newTexts)
  const [{ city, street, house }, setPlaces] = useDraft(nowhere)
  const cities = usePlaces('city', null, '') ?? []
  const only = cities.length === 1 ? cities[0]! : null
  useEffect(() => {
    if (only) setPlaces((places) => ({ ...places, city: places.city ?? only }))
  }, [only, setPlaces])
  const chooseHouse = (place: Place | null) => {
    setPlaces((places) => ({ ...places, house: place }))
    form.set({ home: place === null ? null : String(place.id) })
  }
  const chooseStreet = (place: Place | null) => {
    setPlaces((places) => ({ ...places, street: place }))
    if (place?.id !== street?.id) chooseHouse(null)
  }
  const chooseCity = (place: Place | null) => {
    setPlaces((places) => ({ ...places, city: place }))
    if (place?.id !== city?.id) chooseStreet(null)
  }
  return (
    <Panel title={t.address}>
      <div className={styles.fields}>
        <PlaceChoice kind="city" name="city" label={t.city} within={null} chosen={city} onChosen={chooseCity} />
        <PlaceChoice
          kind="street"
          name="street"
          label={t.street}
          within={city?.id ?? null}
          chosen={street}
          onChosen={chooseStreet}
        />
        <PlaceChoice
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

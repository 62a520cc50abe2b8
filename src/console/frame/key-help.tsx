import { Kbd } from '@mantine/core'
import { useMayHave } from '../api/me.tsx'
import { Dialog } from '../patterns/dialog.tsx'
import { useTexts } from '../texts/texts.ts'
import styles from './frame.module.css'
import { placeTexts, places } from './places.ts'
import { frameTexts } from './texts.ts'

export type KeyHelpProps = { readonly isOpen: boolean; readonly onClose: () => void }

export function KeyHelp({ isOpen, onClose }: KeyHelpProps) {
  const t = useTexts(frameTexts)
  const names = useTexts(placeTexts)
  const may = useMayHave()
  const reached = places.flatMap((place) => [
    { ...place, title: names[place.name] },
    ...(place.within ?? []).map((one) => ({ ...one, title: `${names[place.name]}, ${names[one.name]}` })),
  ])
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t.keys}>
      <dl className={styles.keys}>
        <Key keys={['Ctrl', 'K']} does={t.keySearch} />
        <Key keys={['/']} does={t.keySearch} />
        <Key keys={['?']} does={t.keyHelp} />
        {reached.map(
          (place) =>
            place.letter !== undefined &&
            may(place) && <Key key={place.title} keys={['g', place.letter]} does={`${t.go}: ${place.title}`} />,
        )}
        <Key keys={['j']} does={`${t.inLists}: ${t.keyNext}`} />
        <Key keys={['k']} does={`${t.inLists}: ${t.keyBefore}`} />
        <Key keys={['Enter']} does={`${t.inLists}: ${t.keyOpen}`} />
        <Key keys={['x']} does={`${t.inLists}: ${t.keyMark}`} />
        <Key keys={['a']} does={`${t.inLists}: ${t.keyActions}`} />
        <Key keys={['Esc']} does={t.keyClose} />
      </dl>
    </Dialog>
  )
}

const Key = ({ keys, does }: { readonly keys: readonly string[]; readonly does: string }) => (
  <div>
    <dt>
      {keys.map((key) => (
        <Kbd key={key}>{key}</Kbd>
      ))}
    </dt>
    <dd>{does}</dd>
  </div>
)

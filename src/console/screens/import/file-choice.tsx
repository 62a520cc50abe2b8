import { FileButton, Button } from '@mantine/core'
import { type DragEvent, useState } from 'react'
import { useFormat } from '../../format/format.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './import.module.css'
import { importTexts } from './texts.ts'

const fileBytesMax = 32 * 1024 * 1024

type FileChoiceProps = { readonly file: File | null; readonly onFile: (file: File) => void }

/** A file is chosen by a button or dropped. */
export function FileChoice({ file, onFile }: FileChoiceProps) {
  const t = useTexts(importTexts)
  const format = useFormat()
  const [isOver, setOver] = useState(false)
  const take = (chosen: File | null | undefined) => {
    if (!chosen) return
    if (chosen.size > fileBytesMax) told.failed(t.tooLarge)
    else onFile(chosen)
  }
  const over = (event: DragEvent, isOver: boolean) => {
    event.preventDefault()
    setOver(isOver)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same by keys
    <div
      className={styles.drop}
      data-over={isOver ? '' : undefined}
      onDragOver={(event) => over(event, true)}
      onDragLeave={(event) => over(event, false)}
      onDrop={(event) => {
        over(event, false)
        take(event.dataTransfer.files[0])
      }}
    >
      {file && (
        <span className={styles.file}>
          {file.name}, {format.bytes(file.size)}
        </span>
      )}
      <FileButton accept=".csv,.txt,text/csv" onChange={take}>
        {(props) => (
          <Button {...props} variant={file ? 'default' : 'filled'}>
            {file ? t.other : t.choose}
          </Button>
        )}
      </FileButton>
      {!file && (
        <p>
          {t.kind} <span className={styles.byMouse}>{t.drop}</span>
        </p>
      )}
    </div>
  )
}

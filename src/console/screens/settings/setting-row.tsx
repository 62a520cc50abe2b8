import { VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useLayoutEffect, useRef } from 'react'
import { useFormat } from '../../format/format.ts'
import { useTexts } from '../../texts/texts.ts'
import type { Change, Setting } from './endpoints.ts'
import { type ChapterName, gatewayChapters } from './meanings.ts'
import { SettingForm } from './setting-form.tsx'
import styles from './settings.module.css'
import { settingTexts } from './texts.ts'
import { useSettingWords } from './words.ts'

type SettingRowProps = {
  readonly setting: Setting
  readonly chapter: ChapterName
  readonly changed: Change | undefined
  readonly mayChange: boolean
  readonly isEdited: boolean
  readonly onEdit: (isEdited: boolean) => void
}

export function SettingRow({ setting, chapter, changed, mayChange, isEdited, onEdit }: SettingRowProps) {
  const t = useTexts(settingTexts)
  const words = useSettingWords()
  const { name } = setting
  const row = useFocusOfValue(isEdited)
  return (
    <div className={styles.row} ref={row}>
      <div className={styles.meaning}>
        <span>{words.meaning(setting)}</span>
        <code>{name}</code>
      </div>
      {isEdited ? (
        <SettingForm setting={setting} onClose={() => onEdit(false)} />
      ) : (
        <div className={styles.value}>
          <ShownValue setting={setting} chapter={chapter} mayChange={mayChange} onEdit={() => onEdit(true)} />
          <small>
            {setting.value === setting.default ? t.isDefault : t.byDefault(words.value(setting, setting.default))}
          </small>
          {changed && <ChangedBy change={changed} />}
        </div>
      )}
    </div>
  )
}

/** The value has the focus when its form goes, unless something else has taken it: the rows after it follow by Tab. */
function useFocusOfValue(isEdited: boolean) {
  const row = useRef<HTMLDivElement>(null)
  const wasEdited = useRef(isEdited)
  useLayoutEffect(() => {
    if (wasEdited.current && !isEdited && document.activeElement === document.body)
      row.current?.querySelector('button')?.focus()
    wasEdited.current = isEdited
  }, [isEdited])
  return row
}

type ShownValueProps = Pick<SettingRowProps, 'setting' | 'chapter' | 'mayChange'> & { readonly onEdit: () => void }

function ShownValue({ setting, chapter, mayChange, onEdit }: ShownValueProps) {
  const t = useTexts(settingTexts)
  const words = useSettingWords()
  const value = words.value(setting, setting.value)
  if (gatewayChapters.includes(chapter))
    return (
      <Link to={'/system/payments/' as never} title={t.onGateways} className={styles.open ?? ''}>
        {value}
      </Link>
    )
  if (!mayChange) return <strong>{value}</strong>
  return (
    <button type="button" className={styles.open} onClick={onEdit}>
      <VisuallyHidden>{t.change(setting.name)} </VisuallyHidden>
      {value}
    </button>
  )
}

function ChangedBy({ change: { user, at } }: { readonly change: Change }) {
  const t = useTexts(settingTexts)
  const format = useFormat()
  return <small>{t.changedBy(user ?? t.nobody, format.moment(at))}</small>
}

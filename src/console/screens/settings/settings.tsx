import { useMemo, useState } from 'react'
import { useMe, useMayHave } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Empty } from '../../patterns/empty.tsx'
import { SearchField } from '../../patterns/list/search-field.tsx'
import { useTypedFilter } from '../../patterns/list/typed-filter.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { useLanguage } from '../../texts/language.tsx'
import { useTexts } from '../../texts/texts.ts'
import { type Change, changesEndpoint, settingsEndpoint } from './endpoints.ts'
import { foundByChapter } from './found.ts'
import { SettingRow } from './setting-row.tsx'
import styles from './settings.module.css'
import { settingTexts } from './texts.ts'

/** Every setting by chapter: what it means, what it is, who changed it, and a field in its place when it is pressed. */
export default function Settings() {
  const t = useTexts(settingTexts)
  const { language } = useLanguage()
  const [typed, setTyped] = useTypedFilter('q')
  const { data, error } = useEndpoint(settingsEndpoint, {})
  const changes = useChanges()
  const mayChange = useMayHave()({ right: 'settings', isShared: true })
  const [edited, edit] = useState<string | null>(null)
  if (error && !data) throw error
  const all = data?.settings ?? []
  const chapters = foundByChapter(all, typed, { language, titles: t })
  const shown = chapters.reduce((sum, { rows }) => sum + rows.length, 0)
  return (
    <>
      <PageHead title={t.title} says={t.says} />
      <SearchField type="search" className={styles.search ?? ''} label={t.search} typed={typed} onType={setTyped} />
      <p className={styles.count} role="status">
        {typed !== '' && t.shownOf(shown, all.length)}
      </p>
      {data && shown === 0 && <Empty title={t.none} />}
      {chapters
        .filter(({ rows }) => rows.length > 0)
        .map(({ name, rows }) => (
          <Panel key={name} title={t[name]}>
            <ul className={styles.rows}>
              {rows.map((setting) => (
                <li key={setting.name}>
                  <SettingRow
                    setting={setting}
                    chapter={name}
                    changed={changes.get(setting.name)}
                    mayChange={mayChange}
                    isEdited={edited === setting.name}
                    onEdit={(isEdited) => edit(isEdited ? setting.name : null)}
                  />
                </li>
              ))}
            </ul>
          </Panel>
        ))}
    </>
  )
}

/** By setting its last change, for who may know it. */
function useChanges(): ReadonlyMap<string, Change> {
  const { all_organizations } = useMe().user
  const { data } = useEndpoint(changesEndpoint, { query: {} }, { isEnabled: all_organizations })
  return useMemo(() => new Map(data?.items.map((one) => [one.name, one])), [data])
}

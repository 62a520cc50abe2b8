import { Button } from '@mantine/core'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useMayHave } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Beside } from '../../patterns/beside.tsx'
import { useTexts } from '../../texts/texts.ts'
import { builtInEndpoint, templatesPath } from './endpoints.ts'
import { parts, textOfLines } from './lines.ts'
import { TemplatePreview } from './preview.tsx'
import styles from './templates.module.css'
import { replyTemplateTexts } from './texts.ts'

/** What a type of NAS is told where it has no template of its own: it is only read and copied. */
export default function BuiltInTemplate() {
  const { type } = useParams({ strict: false }) as { readonly type: string }
  const t = useTexts(replyTemplateTexts)
  const navigate = useNavigate()
  const mayChange = useMayHave()({ right: 'settings', isShared: true })
  const { data } = useEndpoint(builtInEndpoint, {})
  const template = data?.built_in.find((one) => one.nas_type === type)
  if (!template) return null
  const users = data?.nas.filter((nas) => nas.template === null && nas.nas_type === type).map(({ name }) => name)
  const texts = {
    accept: textOfLines(template.accept),
    garden: textOfLines(template.garden),
    coa: textOfLines(template.coa),
  }
  return (
    <Beside title={t.edit(type)} onClose={() => void navigate({ to: templatesPath })} width={640}>
      <div className={styles.preview}>
        <p>
          {t.usedBy}: {users?.join(', ') || t.nobody}
        </p>
        {parts.map((part) => (
          <div key={part}>
            <h3>{t[part]}</h3>
            <code className={styles.lines}>{texts[part] || t.nothing}</code>
          </div>
        ))}
        {mayChange && (
          <Button
            component={Link}
            to={`${templatesPath}new/`}
            search={{ from: String(type) } as never}
            variant="default"
          >
            {t.copy}
          </Button>
        )}
        <TemplatePreview texts={texts} />
      </div>
    </Beside>
  )
}

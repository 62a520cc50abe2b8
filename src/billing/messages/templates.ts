import type { Pool, PoolClient } from 'pg'
import type { Language } from '../../domain/language.ts'
import type { MessageTemplate } from '../../platform/storage/entities/clients.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { isTemplate, type OwnWordings, type Template, type Wording, wordingKey } from './catalogue.ts'

type Sql = Pick<Pool | PoolClient, 'query'>

/** What the operator has notices say now. */
export async function readOwnWordings(sql: Sql): Promise<OwnWordings> {
  const { rows } = await sql.query<RowOf<typeof MessageTemplate, 'name' | 'language' | 'title' | 'text'>>(
    'SELECT name, language, title, text FROM message_templates',
  )
  return new Map(
    rows.flatMap(({ name, language, title, text }) =>
      isTemplate(name) ? [[wordingKey(name, language), { title, text }] as const] : [],
    ),
  )
}

/** Has a notice say something else from its next one on. Null: what it says as shipped. */
export async function writeOwnWording(
  sql: Sql,
  template: Template,
  language: Language,
  wording: Wording | null,
): Promise<void> {
  if (wording === null)
    await sql.query('DELETE FROM message_templates WHERE name = $1 AND language = $2', [template, language])
  else
    await sql.query(
      `INSERT INTO message_templates (name, language, title, text) VALUES ($1, $2, $3, $4)
        ON CONFLICT (name, language) DO UPDATE SET title = excluded.title, text = excluded.text`,
      [template, language, wording.title, wording.text],
    )
}

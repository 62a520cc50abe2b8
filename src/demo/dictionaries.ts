import type { Pool } from 'pg'
import type { Secrets } from '../platform/secrets/secrets.ts'

/** What an operator would have entered besides what subscribers have: folders, fields, payment cards, cameras. */
export async function insertDictionaries(pool: Pool, secrets: Pick<Secrets, 'seal'>): Promise<void> {
  await pool.query(
    `WITH homes AS (INSERT INTO abonent_folders (organization_id, name) VALUES (1, 'Частные лица'), (1, 'Организации') RETURNING id, name)
      INSERT INTO abonent_folders (organization_id, parent_id, name) SELECT 1, id, 'Частный сектор' FROM homes WHERE name = 'Частные лица'`,
  )
  await pool.query(
    `INSERT INTO user_attributes (name, type_id) VALUES ('Дата рождения', 3), ('Этаж', 2), ('Есть свой роутер', 4)`,
  )
  const serials = ['SN-000101', 'SN-000102', 'SN-000103', 'SN-000104']
  await pool.query(
    `INSERT INTO cards (serial, pin, nominal, status)
      SELECT serial, pin, 5000000000000, status FROM unnest($1::text[], $2::text[], $3::text[]) AS card(serial, pin, status)`,
    [serials, serials.map((serial) => secrets.seal(serial)), ['active', 'active', 'new', 'blocked']],
  )
  await pool.query(
    `INSERT INTO video_objects (name, account_id, enabled, comment)
      SELECT place, (SELECT id FROM admin_accounts ORDER BY id OFFSET at LIMIT 1), at < 3, 'Обзор: двор'
        FROM unnest(ARRAY['Мира, 1, вход', 'Мира, 3, двор', 'Склад']) WITH ORDINALITY AS camera(place, at)`,
  )
}

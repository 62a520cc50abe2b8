/**
 * SQL of the address of a subscriber in words, from the city to the flat; null without any. `home` and `flat` are SQL
 * of the node of the address tree and of the flat.
 */
export const addressSql = (home: string, flat: string): string => `nullif(concat_ws(', ', (WITH RECURSIVE way AS (
    SELECT id, parent_id, name, 1 AS depth FROM homes WHERE id = ${home}
    UNION ALL SELECT homes.id, homes.parent_id, homes.name, depth + 1 FROM homes JOIN way ON homes.id = way.parent_id WHERE depth < 10)
  SELECT string_agg(name, ', ' ORDER BY depth DESC) FROM way), 'кв. ' || nullif(${flat}, '')), '')`

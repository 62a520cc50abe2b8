/**
 * Pools hand out int8 as text, because a JavaScript number would round money. Ids are below 2^53: `toId(row.id)`;
 * money: `moneyFromUnits(row.ostatok)` of domain/money. Entities of MikroORM have both converted already.
 */
export const toId = (text: string): number => Number(text)

export const toIdOrNull = (text: string | null): number | null => (text === null ? null : Number(text))

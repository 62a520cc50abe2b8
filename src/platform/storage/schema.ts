import { ArrayType, EntitySchema, JsonType, ReferenceKind, Type, types } from '@mikro-orm/core'
import { stringifyJson } from '../formats/json.ts'
import { among, type Column, type ColumnType } from './columns.ts'
import type { Table } from './entity.ts'

/**
 * What MikroORM knows of the tables, made of our entities. References are plain keys: an entity holds its row and no
 * other's.
 */
export function schemasOf(entities: readonly Table[]): EntitySchema[] {
  const byTable = new Map(entities.map((entity) => [entity.table, entity]))
  const target = (table: string): Table => {
    const found = byTable.get(table)
    if (!found) throw new Error(`A column references the table ${table}, which has no entity.`)
    return found
  }
  return entities.map(
    (entity) =>
      new EntitySchema({
        class: entity as Table & (abstract new () => object),
        tableName: entity.table,
        properties: Object.fromEntries(
          Object.entries(entity.columns).map(([name, column]) => [name, propertyOf(name, column, target)]),
        ) as never,
        ...rulesOf(entity),
      }),
  )
}

function propertyOf(name: string, { type, options }: Column, target: (table: string) => Table): object {
  return {
    ...kindOf(name, type, target),
    ...(options.isNullable && { nullable: true }),
    ...(options.isPrimary && { primary: true }),
    ...(options.isGenerated ? { generated: 'by default as identity' } : options.isPrimary && { autoincrement: false }),
    ...(options.default?.kind === 'value' && { default: options.default.value }),
    ...(options.default?.kind === 'sql' && { defaultRaw: options.default.sql }),
    ...(options.unique !== null && { unique: options.unique }),
  }
}

function kindOf(name: string, type: ColumnType, target: (table: string) => Table): object {
  switch (type.kind) {
    case 'reference':
      return {
        kind: ReferenceKind.MANY_TO_ONE,
        entity: () => target(type.table),
        mapToPk: true,
        joinColumn: name,
        deleteRule: type.onDelete,
        updateRule: 'no action',
      }
    case 'varchar':
      return { type: types.string, length: type.length }
    case 'decimal':
      return { type: new types.decimal('number'), precision: type.precision, scale: type.scale }
    default:
      return { type: scalars[type.kind] }
  }
}

/** Numbers keep all their digits. */
class ExactJson extends JsonType {
  override convertToDatabaseValue = (value: unknown) => (value === null ? null : stringifyJson(value))
}

/** A network loses the bits of the host that somebody named it by. */
class NetworkType extends Type<string, string> {
  override getColumnType = () => 'cidr'
  override convertToDatabaseValueSQL = (key: string) => `(${key})::inet::cidr`
}

class IdArray extends ArrayType<number> {
  override getColumnType = () => 'int8[]'
}

const scalars = {
  text: types.text,
  sealed: types.text,
  boolean: types.boolean,
  integer: types.integer,
  smallint: types.smallint,
  int8: new types.bigint('number'),
  bigint: new types.bigint('bigint'),
  moment: types.datetime,
  day: types.date,
  bytes: types.blob,
  json: new ExactJson(),
  uuid: types.uuid,
  textArray: types.array,
  int8Array: new IdArray((text) => Number(text)),
  xid8: 'xid8',
  inet: 'inet',
  cidr: new NetworkType(),
  macaddr: 'macaddr',
} as const

function rulesOf({ table, columns, rules: { checks = {}, uniques = {}, indexes = {} } }: Table): object {
  const ofWords = Object.entries(columns).flatMap(([name, { type }]) =>
    type.kind === 'text' && type.words ? [{ name: `${table}_${name}`, expression: among(name, type.words) }] : [],
  )
  return {
    checks: [...ofWords, ...Object.entries(checks).map(([name, expression]) => ({ name, expression }))],
    uniques: Object.entries(uniques).map(([name, properties]) => ({ name, properties: [...properties] })),
    indexes: Object.entries(indexes).map(([name, definition]) => ({
      name,
      expression: indexSql(table, name, definition),
    })),
  }
}

function indexSql(table: string, name: string, definition: string): string {
  const isUnique = definition.startsWith('UNIQUE ')
  return `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${name} ON ${table} ${definition.replace('UNIQUE ', '')}`
}

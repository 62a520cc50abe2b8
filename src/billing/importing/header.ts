import { type ColumnName, columnNames, columnsMax, tooManyColumns } from './columns.ts'
import { CsvReader, type CsvRecord, type Delimiter, detectDelimiter } from './csv.ts'
import type { Encoding } from './file.ts'

/** What files of other programs call the columns. Letters and digits alone count. */
const otherNames: Readonly<Record<ColumnName, readonly string[]>> = {
  contract_number: ['contract', 'contractno', 'agreement', 'договор', 'номердоговора', '№договора', 'договор№', 'дог'],
  name: ['fullname', 'client', 'customer', 'subscriber', 'фио', 'имя', 'абонент', 'клиент', 'наименование', 'название'],
  login: ['user', 'username', 'логин', 'имяпользователя', 'учетнаязапись'],
  password: ['pass', 'passwd', 'пароль'],
  ip: ['ipaddress', 'ipv4', 'address4', 'ipадрес', 'айпи'],
  mac: ['macaddress', 'macадрес', 'мак'],
  tarif: ['tariff', 'plan', 'rate', 'тариф', 'тарифныйплан', 'тарифплан'],
  balance: ['saldo', 'deposit', 'баланс', 'остаток', 'сальдо', 'депозит'],
  limit: ['credit', 'creditlimit', 'лимит', 'кредит', 'порог'],
  email: ['mail', 'почта', 'эпочта', 'электроннаяпочта', 'емейл'],
  phone: ['tel', 'telephone', 'mobile', 'sms', 'телефон', 'мобильный', 'моб', 'номертелефона'],
  folder: ['group', 'папка', 'группа'],
}

const shownRows = 5
const cellMax = 60
/** Read at a time; more than most headers with some lines. */
const pieceLength = 4_096

/** The top of a file before anybody has said what its columns are. */
export type Top = {
  readonly encoding: Encoding
  readonly titles: readonly string[]
  /** What each column probably is; empty: nobody knows. */
  readonly columns: readonly (ColumnName | '')[]
  readonly rows: readonly (readonly string[])[]
}

/** Reads the beginning of a file, which may end in the middle of a line. `refusal`: why it cannot be read. */
export function readTopOf(bytes: Uint8Array, chosen: Encoding | null): Top | { refusal: string } {
  if (bytes.includes(0))
    return { refusal: 'The file is no text: it may be a spreadsheet, which has to be saved as CSV.' }
  const encoding = chosen ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1251')
  const text = new TextDecoder(encoding).decode(bytes, { stream: true })
  const end = text.indexOf('\n')
  const header = end < 0 ? text : text.slice(0, end)
  const [first, ...others] = firstRecords(text, detectDelimiter(header))
  if (!first || 'fault' in first) return { refusal: 'The file has no header in its first line.' }
  if (first.fields.length > columnsMax) return tooManyColumns
  const titles = first.fields.map(short)
  const rows = others.flatMap((record) => ('fields' in record ? [record.fields.slice(0, columnsMax).map(short)] : []))
  return { encoding, titles, columns: guessed(titles), rows: rows.slice(0, shownRows) }
}

/** The header and so many records that enough of them can be shown; the last one of the text may be cut. */
function firstRecords(text: string, delimiter: Delimiter): CsvRecord[] {
  const reader = new CsvReader(delimiter)
  const records: CsvRecord[] = []
  for (let at = 0; at < text.length; at += pieceLength) {
    records.push(...reader.push(text.slice(at, at + pieceLength)))
    if (records.filter((record) => 'fields' in record).length > shownRows) return records
  }
  return text.includes('\n') ? records : [...records, ...reader.end()]
}

function guessed(titles: readonly string[]): (ColumnName | '')[] {
  const taken = new Set<ColumnName>()
  return titles.map((title) => {
    const plain = title
      .toLowerCase()
      .replaceAll('ё', 'е')
      .replaceAll(/[^\p{L}\p{N}№]/gu, '')
    const found = columnNames.find(
      (name) => !taken.has(name) && (name.replaceAll('_', '') === plain || otherNames[name].includes(plain)),
    )
    if (found === undefined) return ''
    taken.add(found)
    return found
  })
}

const short = (cell: string): string => cell.trim().slice(0, cellMax)

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

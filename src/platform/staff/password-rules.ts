import { passwordLengthMax } from './passwords.ts'

/** The shortest new password of staff. Passwords that were set before this rule go on working. */
export const passwordSignsMin = 10

export type PasswordFault = 'short' | 'long' | 'common'

/** Completes "It must …". */
export const passwordMust = `have ${passwordSignsMin} to ${passwordLengthMax} characters and be none of the common ones`

/** What is wrong with a new password, or null. */
export function passwordFault(password: string): PasswordFault | null {
  if (password.length > passwordLengthMax) return 'long'
  if ([...password.normalize('NFC')].length < passwordSignsMin) return 'short'
  return isCommon(password.normalize('NFC').toLowerCase()) ? 'common' : null
}

/**
 * Guessers try these first: a well-known word with digits and signs about it, a short text again and again, and keys
 * that lie side by side.
 */
function isCommon(password: string): boolean {
  if (new Set(password).size <= 3 || commonPasswords.has(password)) return true
  const unit = repeatedUnit(password)
  if (unit.length < password.length && (unit.length <= 4 || isCommonWord(unit))) return true
  return isCommonWord(password) || isWalk(password)
}

/** The shortest text that the password repeats, or the password itself. */
const repeatedUnit = (password: string): string => password.slice(0, (password + password).indexOf(password, 1))

function isCommonWord(text: string): boolean {
  const plain = text.replace(/[0134578@$!]/g, (sign) => letterOf[sign] ?? sign)
  return [text, plain].some((spelling) => commonWords.has(spelling.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')))
}

const letterOf: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** Most neighbours in the password are neighbours on a keyboard or in the alphabet. */
function isWalk(password: string): boolean {
  const signs = [...password]
  const steps = signs.slice(1).filter((sign, index) => {
    const pair = `${signs[index]}${sign}`
    return rows.some((row) => row.includes(pair))
  })
  return steps.length >= (signs.length - 1) * 0.7
}

const backwards = (row: string): string => [...row].reverse().join('')
const forwards = [
  '01234567890',
  'qwertyuiop[]',
  "asdfghjkl;'",
  'zxcvbnm,./',
  'йцукенгшщзхъ',
  'фывапролджэ',
  'ячсмитьбю.',
  'abcdefghijklmnopqrstuvwxyz',
  'абвгдежзийклмнопрстуфхцчшщъыьэюя',
]
const rows: readonly string[] = [...forwards, ...forwards.map(backwards)]

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** With digits and signs before or after them these are common whatever their length. */
const commonWords = wordsOf(`
  abc abcd access account adm admin administrator adminadmin asdf asdfgh asdfghjkl azerty baseball batman billing
  changeme charlie cisco computer default demo dragon football freedom google guest hello huawei iloveyou internet
  isp jordan juniper killer letmein linux login lovely manager master michael microsoft mikrotik monkey mother mustang
  network office operator oracle pass passphrase password passw passwd pokemon postgres princess provider purple qazwsx
  qwe qwer qwert qwerty qwertyui qwertyuiop radius root samsung secret server service shadow soccer spring summer
  sunshine superman superuser support system telecom temp test tester testtest tollgate trustno ubnt user username
  welcome whatever winter zaq zxc zxcvbn zxcvbnm aдмин админ администратор биллинг гость интернет йцукен кассир люблю
  любовь менеджер москва оператор пароль привет провайдер россия сервер солнышко тест фыва
  gfhjkm ghbdtn rfccbh ltvj vfvf gfgf parol privet rossiya moskva natasha sasha nastya
`)

/** Well-known passwords of ten signs and more that no rule above finds. */
const commonPasswords = wordsOf(`
  1q2w3e4r5t 1q2w3e4r5t6y q1w2e3r4t5 q1w2e3r4t5y6 1qaz2wsx3edc 1qazxsw23edc qazwsxedcrfv qazwsxedc123 zaq12wsxcde3
  1qaz2wsx3edc4rfv zaq1xsw2cde3 1a2b3c4d5e 1234qwerasdf qwer1234asdf qwerty1q2w asdf1234qwer 123qweasdzxc
  qweasdzxc123 qwe123asd456 147258369a 1472583690 7894561230 0147258369 1029384756 9638527410 3141592653 2718281828
  correcthorsebatterystaple trustno1trustno1 iloveyouforever letmeinplease passwordpassword abc123abc123 a1b2c3d4e5
  a123456789 aa12345678 q123456789 z123456789 1234567890q 1234567890a p@ssw0rd123 starwars123 football123 whatsapp123
  пароль12345 йцукен12345 qwerty12345 qwerty123456 password123 password1234 admin123456 adminadmin123
`)

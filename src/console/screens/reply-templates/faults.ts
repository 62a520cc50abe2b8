import type { Answer } from '../../api/client.ts'
import { chapter } from '../../texts/texts.ts'

type Wrong = NonNullable<Answer<'POST /admin/radius/templates_preview/'>['wrong']>
type About = Wrong['about']

const needs = (what: string) => (about: About) => `${about.attribute}: ${what}, а не «${about.value}»`
const must = (what: string) => (about: About) => `${about.attribute} needs ${what}, not “${about.value}”`
const tells = (what: string) => (about: About) => `${about.attribute} ${what}`

/** What is wrong with a line, by the codes of the endpoint. */
export const templateFaultTexts = chapter({
  unknown: [
    ({ attribute }: About) =>
      `Атрибута «${attribute}» в словаре RADIUS нет; неизвестный словарю записывается как Vendor-<номер>-Attr-<номер>`,
    ({ attribute }: About) =>
      `The RADIUS dictionary has no attribute “${attribute}”; write Vendor-<number>-Attr-<number> for one it does not know`,
  ],
  untagged: [tells('не имеет метки'), tells('takes no tag')],
  tag: [
    ({ attribute, most }: About) => `Метка атрибута ${attribute} — число от 0 до ${most}`,
    ({ attribute, most }: About) => `The tag of ${attribute} is a number from 0 to ${most}`,
  ],
  place: [
    ({ attribute, value, names }: About) => `${attribute}: ${value} подставить нечем; можно ${names}`,
    ({ attribute, value, names }: About) => `${attribute}: ${value} stands for nothing; there are ${names}`,
  ],
  own: [tells('программа пишет сама'), tells('is written by the program itself')],
  encrypted: [tells('шифруется, в шаблоне ему не место'), tells('is encrypted and has no place in a template')],
  repeated: [
    tells('бывает в ответе один раз, а в шаблоне их два'),
    tells('stands once in an answer, and the template has it twice'),
  ],
  container: [
    tells('состоит из других атрибутов, укажите один из них'),
    tells('holds other attributes; name one of those'),
  ],
  hidden: [
    tells('шифруется для каждого пакета, задать его нельзя'),
    tells('is encrypted for each packet and cannot be set'),
  ],
  protocol: [tells('служит самому протоколу, задать его нельзя'), tells('belongs to the protocol and cannot be set')],
  empty: [tells('требует значения'), tells('needs a value')],
  length: [
    ({ attribute, most, has }: About) => `${attribute}: нужно байт: ${most}, а в значении ${has}`,
    ({ attribute, most, has }: About) => `${attribute} holds ${most} bytes, and this value has ${has}`,
  ],
  tooLong: [
    ({ attribute, most, has }: About) => `${attribute}: не больше ${most} байт, а в значении ${has}`,
    ({ attribute, most, has }: About) => `${attribute} holds at most ${most} bytes, and this value has ${has}`,
  ],
  tooLongToEncrypt: [tells('слишком длинный, чтобы его зашифровать'), tells('is too long to be encrypted')],
  octets: [needs('после 0x нужны пары шестнадцатеричных цифр'), must('pairs of hexadecimal digits after 0x')],
  integer: [
    ({ attribute, most, names, value }: About) =>
      `${attribute}: нужно целое число от 0 до ${most}${names ? ` или одно из названий (${names})` : ''}, а не «${value}»`,
    ({ attribute, most, names, value }: About) =>
      `${attribute} needs a whole number from 0 to ${most}${names ? ` or one of its names (${names})` : ''}, not “${value}”`,
  ],
  integer64: [needs('нужно целое число не длиннее 64 бит'), must('a whole number of at most 64 bits')],
  signed: [
    needs('нужно целое число от -2147483648 до 2147483647'),
    must('a whole number from -2147483648 to 2147483647'),
  ],
  date: [
    needs('нужен момент вида 2030-01-31T12:00:00Z или секунды с 1970 года'),
    must('a moment like 2030-01-31T12:00:00Z or seconds since 1970'),
  ],
  ipv4: [needs('нужен адрес IPv4'), must('an IPv4 address')],
  ipv6: [needs('нужен адрес IPv6'), must('an IPv6 address')],
  ipv4Prefix: [
    needs('нужна сеть IPv4 вида 10.0.0.0/24, после маски только нули'),
    must('an IPv4 prefix like 10.0.0.0/24 with nothing behind it'),
  ],
  ipv6Prefix: [
    needs('нужна сеть IPv6 вида 2001:db8:1::/48, после маски только нули'),
    must('an IPv6 prefix like 2001:db8:1::/48 with nothing behind it'),
  ],
  interfaceId: [needs('нужны четыре группы вида 0:0:0:1'), must('four groups like 0:0:0:1')],
  ether: [needs('нужен MAC-адрес вида 00:1a:2b:3c:4d:5e'), must('a MAC address like 00:1a:2b:3c:4d:5e')],
})

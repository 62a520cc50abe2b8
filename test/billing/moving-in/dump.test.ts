import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { DumpReader } from '../../../src/billing/moving-in/tables/dump.ts'
import { type Row, SourceFault, type Tables } from '../../../src/billing/moving-in/tables/tables.ts'
import { anyCharacter } from '../../support/any-character.ts'

const wanted = { people: ['id', 'name', 'note'] } as const

/** Reads a dump that comes in pieces of so many characters. */
function read(text: string, piece = text.length): Tables {
  const reader = new DumpReader(wanted)
  for (let at = 0; at < text.length; at += Math.max(1, piece)) reader.push(text.slice(at, at + Math.max(1, piece)))
  return reader.end()
}

/** What is written for some letters, each behind a backslash. */
const mysqlEscapes = new Map([...`\\'"`].map((letter) => [letter, letter]))
for (const [code, letter] of [
  [0, '0'],
  [10, 'n'],
  [13, 'r'],
  [26, 'Z'],
] as const)
  mysqlEscapes.set(String.fromCodePoint(code), letter)
const copyEscapes = new Map([...'\\'].map((letter) => [letter, letter]))
for (const [code, letter] of [
  [8, 'b'],
  [9, 't'],
  [10, 'n'],
  [11, 'v'],
  [12, 'f'],
  [13, 'r'],
] as const)
  copyEscapes.set(String.fromCodePoint(code), letter)

const escaped = (text: string, escapes: ReadonlyMap<string, string>): string =>
  [...text].map((letter) => (escapes.has(letter) ? `\\${escapes.get(letter)}` : letter)).join('')

/** As the client library of MySQL escapes a text (mysql_real_escape_string). */
const mysqlText = (text: string | null): string => (text === null ? 'NULL' : `'${escaped(text, mysqlEscapes)}'`)

/** As PostgreSQL writes a field of COPY. */
const copyText = (text: string | null): string => (text === null ? '\\N' : escaped(text, copyEscapes))

type Person = readonly [id: number, name: string | null, note: string | null]

const mysqlDump = (people: readonly Person[]): string => `-- MySQL dump 10.19  Distrib 10.11
/*!40101 SET NAMES utf8mb4 */;
/*M!999999\\- enable the sandbox mode */
DROP TABLE IF EXISTS \`people\`;
CREATE TABLE \`people\` (
  \`id\` int(11) NOT NULL AUTO_INCREMENT COMMENT 'a comma, a \\'quote\\' and (a parenthesis',
  \`name\` varchar(64) DEFAULT 'x,y',
  \`amount\` decimal(10,2) NOT NULL DEFAULT 0.00,
  \`note\` text,
  PRIMARY KEY (\`id\`),
  KEY \`name\` (\`name\`(32))
) ENGINE=InnoDB;
LOCK TABLES \`people\` WRITE;
${people.length === 0 ? '' : `INSERT INTO \`people\` VALUES ${people.map(([id, name, note]) => `(${id},${mysqlText(name)},-1.50,${mysqlText(note)})`).join(',\n')};`}
UNLOCK TABLES;
INSERT INTO \`others\` VALUES (1,'a ); INSERT INTO \`people\` VALUES (7,''x'',0,NULL);'),(2,0x4142);
DELIMITER ;;
/*!50003 CREATE*/ /*!50003 TRIGGER x BEFORE INSERT ON people FOR EACH ROW BEGIN SET NEW.name = ';'; END */;;
CREATE FUNCTION f() RETURNS int BEGIN RETURN 1; END ;;
DELIMITER ;
-- Dump completed on 2026-11-28 12:00:00`

const postgresDump = (people: readonly Person[]): string => `--
-- PostgreSQL database dump
--
\\restrict 3mHr
SET standard_conforming_strings = on;
CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $_$ BEGIN x := 'a;'; RETURN $1; END $_$;
CREATE TABLE public.people (
    id integer NOT NULL,
    note text,
    "Name" character varying(64) DEFAULT 'x'::character varying
);
COPY public.others (id, people) FROM stdin;
1\tCOPY public.people (id, note, "Name") FROM stdin;
\\.
COPY public.people (id, note, "Name") FROM stdin;
${people.map(([id, name, note]) => `${id}\t${copyText(note)}\t${copyText(name)}\n`).join('')}\\.
SELECT pg_catalog.setval('public.people_id_seq', 7, true);
\\unrestrict 3mHr`

const rowsOf = (people: readonly Person[]): Row[] => people.map(([id, name, note]) => ({ id: String(id), name, note }))

const text = fc.option(
  fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...`'"\\;,()\n\t\r-#/*$`), maxLength: 8 }),
  ),
)
const people = fc.array(fc.tuple(fc.integer(), text, text), { maxLength: 5 })

t.test('what mysqldump and pg_dump write is read back, in pieces of any size', async () => {
  for (const write of [mysqlDump, postgresDump]) {
    fc.assert(
      fc.property(people, fc.integer({ min: 1, max: 400 }), (list, piece) => {
        deepStrictEqual(read(write(list), piece).rows('people'), rowsOf(list))
      }),
      { numRuns: 100 },
    )
  }
})

t.test('what else dumps have', async (t) => {
  const insert = (rows: string) => `INSERT INTO people (note, id) VALUES ${rows};`
  t.strictSame(read(insert(`('it''s', 1), (_binary 'x', +2.5e3), (0x41C3A4, NULL), (X'42', TRUE)`)).rows('people'), [
    { note: "it's", id: '1' },
    { note: 'x', id: '+2.5e3' },
    { note: 'Aä', id: null },
    { note: 'B', id: 'TRUE' },
  ])
  t.strictSame(
    read(`-- PostgreSQL database dump\nINSERT INTO public.people (note, id) VALUES ('a\\b', 1), (E'a\\nb''', 2);`).rows(
      'people',
    ),
    [
      { note: 'a\\b', id: '1' },
      { note: "a\nb'", id: '2' },
    ],
  )
  t.strictSame(read(`REPLACE INTO people (id) VALUES (1) ON DUPLICATE KEY UPDATE id = 2;`).rows('people'), [
    { id: '1' },
  ])
  t.notOk(read('SELECT 1;').has('people'), 'a table that is not there is not there')
  t.ok(read(mysqlDump([])).has('people'), 'an empty one is')
})

t.test('what is no dump, or only a part of one, is refused', async (t) => {
  const whole = mysqlDump([[1, 'a', 'b']])
  const inRow = whole.indexOf("'a'") + 2
  const refused: [text: string, why: RegExp][] = [
    [whole.slice(0, inRow), /is cut off/],
    [postgresDump([[1, 'a', 'b']]).split('\\.')[0]!, /is cut off/],
    ['INSERT INTO people (id) SELECT 1;', /the INSERT into people is not understood/],
    ['INSERT INTO people (id) VALUES (now());', /a value that is not understood/],
    ['INSERT INTO people (id) VALUES (1 2);', /not separated by commas/],
    ['INSERT INTO people (id) VALUES (1, 2);', /a row has 2 values for 1 columns/],
    ['INSERT INTO people (id) VALUES (1) (2);', /followed by something else/],
    ['INSERT INTO people VALUES (1);', /come before its CREATE TABLE/],
    ['-- PostgreSQL database dump\nCOPY people FROM stdin;\n1\n\\.\n', /a COPY is not understood/],
    ['-- PostgreSQL database dump\nCOPY# people (id) FROM stdin;\n1\n\\.\n', /a COPY is not understood/],
    [
      '-- PostgreSQL database dump\nCOPY a.people (id) FROM stdin;\n\\.\nCOPY b.people (id) FROM stdin;\n\\.\n',
      /stands in a and in b/,
    ],
    ['id,name\n1,x\n', /is cut off/],
  ]
  for (const [dump, why] of refused) t.throws(() => read(dump), { message: why }, dump.slice(0, 60))
})

t.test('no text makes it do anything else than read or refuse', async () => {
  const broken = fc
    .tuple(
      people,
      fc.nat(2000),
      fc.nat(60),
      fc.string({ unit: fc.constantFrom(...`'"\\;,()\n-#/*$\`xI`), maxLength: 6 }),
    )
    .chain(([list, at, length, put]) =>
      fc
        .constantFrom(mysqlDump(list), postgresDump(list))
        .map((dump) => dump.slice(0, at) + put + dump.slice(at + length)),
    )
  fc.assert(
    fc.property(broken, fc.integer({ min: 1, max: 400 }), (dump, piece) => {
      try {
        read(dump, piece)
      } catch (error) {
        if (!(error instanceof SourceFault)) throw error
      }
    }),
    { numRuns: 200 },
  )
})

t.test('a dump is read in a time that grows with it', async (t) => {
  const head = 'CREATE TABLE people (id int, name text, note text);\nINSERT INTO people VALUES '
  const plain = Array.from({ length: 300_000 }, (_, n) => `(${n},'a','b')`).join()
  t.equal([...read(`${head}${plain};`).rows('people')].length, 300_000, 'one piece with no backslash')
  const escapes = `(1,'${'\\n'.repeat(500_000)}','b')`
  t.equal([...read(`${head}${escapes};`).rows('people')].length, 1, 'a text of nothing but line feeds')
  const blank = `INSERT INTO people${' '.repeat(500_000)}!`
  t.throws(() => read(blank), /the INSERT into people is not understood/)
})

import { Migration } from '@mikro-orm/migrations'

/**
 * One box finds everything among a million subscribers, so what people type has indexes: words of names behind the organization, any two of
 * the first three together, beginnings of logins, ends of phones, IPv6 prefixes and words of streets. A posting changes none
 * of these columns, so its updates stay within the page (HOT).
 */
export class Search extends Migration {
  override up(): void {
    const names = (...places: number[]) => `(coalesce(organization_id, 1), deleted, ${places.map(word).join(', ')})`
    this.addSql(`
      CREATE INDEX abonents_words_1_2 ON abonents ${names(1, 2)};
      CREATE INDEX abonents_words_2_3 ON abonents ${names(2, 3)};
      CREATE INDEX abonents_words_3_1 ON abonents ${names(3, 1)};
      CREATE INDEX abonents_word_4 ON abonents ${names(4)} WHERE ${word(4)} <> '';
      CREATE INDEX abonents_word_5 ON abonents ${names(5)} WHERE ${word(5)} <> '';
      CREATE INDEX abonents_phone_end ON abonents (reverse(regexp_replace(regexp_replace(sms, '\\D', '', 'g'), '^8?(\\d{10})$', '7\\1')))
        WHERE sms IS NOT NULL AND NOT deleted;
      CREATE INDEX users_login_lower ON users ((lower(login) COLLATE "C"));
      CREATE INDEX users_ipv6_prefix ON users (ipv6_prefix) WHERE ipv6_prefix IS NOT NULL;
      CREATE INDEX users_delegated_ipv6_prefix ON users (delegated_ipv6_prefix) WHERE delegated_ipv6_prefix IS NOT NULL;`)
    for (const place of [1, 2, 3, 4])
      this.addSql(`CREATE INDEX homes_word_${place} ON homes (${word(place)}) WHERE kind <> 'house'`)
  }
}

const plain = `ltrim(replace(replace(translate(lower(name), 'ё-.,/"''«»()', 'е          '), '  ', ' '), '  ', ' '))`
const word = (place: number) => `(split_part(${plain}, ' ', ${place}) COLLATE "C")`

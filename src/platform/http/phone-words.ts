import type { Reply } from './call.ts'
import { phoneRefusal, refusalText, unavailableTexts } from './errors.ts'
import { preferredLanguage } from './languages.ts'

/** What this room itself says to phones, in Russian; the texts of handlers are in the caller's language already. */
const russian: Readonly<Record<string, string>> = {
  [refusalText.notSignedIn]: 'Войдите, чтобы продолжить.',
  [refusalText.tokenInvalid]: 'Сеанс завершён. Войдите снова.',
  [refusalText.notFound]: 'Не найдено.',
  [refusalText.badPath]: 'Неверный адрес.',
  [refusalText.tooLarge]: 'Запрос больше 1 МиБ.',
  [refusalText.readOnly]: 'Идут технические работы: сейчас ничего нельзя изменить.',
  [refusalText.internal]: 'Внутренняя ошибка сервера.',
  [refusalText.busy]: 'Сервис занят, повторите чуть позже.',
  [unavailableTexts.database]: 'Сервис временно недоступен, повторите чуть позже.',
  [unavailableTexts.stopping]: 'Сервис перезапускается, повторите чуть позже.',
}

/** A refusal of this room at a door of phones, in the language that its caller reads. */
export function inWordsOfPhone(reply: Reply, acceptLanguage: string): Reply {
  const { refused, status } = reply
  const words = refused && preferredLanguage(acceptLanguage) === 'ru' ? russian[refused.sentence] : undefined
  return refused && words !== undefined ? phoneRefusal(status, words, refused.headers) : reply
}

import type { Reply } from './call.ts'
import { phoneRefusal, refusalText, unavailableTexts } from './errors.ts'
import { preferredLanguage } from './languages.ts'

/** What the server itself says to phones, in Russian; handlers answer in the caller's language already. */
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

/** A refusal of the server at a door of phones, in the language that the caller reads. */
export function inWordsOfPhone(reply: Reply, acceptLanguage: string): Reply {
  const { refused, status } = reply
  const words = refused && preferredLanguage(acceptLanguage) === 'ru' ? russian[refused.sentence] : undefined
  return refused && words !== undefined ? phoneRefusal(status, words, refused.headers) : reply
}

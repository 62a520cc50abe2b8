import type { Reply } from './call.ts'
import { csrfFaultText } from './csrf.ts'
import { phoneRefusal, refusalText, unavailableTexts } from './errors.ts'
import { preferredLanguage } from './languages.ts'

/** Russian texts of the refusals by the server itself. Handlers answer in the caller's language already. */
const russian: Readonly<Record<string, string>> = {
  [refusalText.notSignedIn]: 'Войдите, чтобы продолжить.',
  [refusalText.tokenInvalid]: 'Сеанс завершён. Войдите снова.',
  [refusalText.notFound]: 'Не найдено.',
  [refusalText.badPath]: 'Неверный адрес.',
  [refusalText.ambiguous]: 'Нужен один Host и либо один Content-Length, либо Transfer-Encoding: chunked.',
  [refusalText.tooLarge]: 'Запрос больше 1 МиБ.',
  [csrfFaultText.crossSite]: 'Запрос пришёл с другого сайта.',
  [refusalText.readOnly]: 'Идут технические работы: сейчас ничего нельзя изменить.',
  [refusalText.internal]: 'Внутренняя ошибка сервера.',
  [refusalText.needsUpgrade]:
    'Это адрес WebSocket, а в запросе нет Upgrade до его версии 13: заголовок мог отбросить прокси.',
  [refusalText.busy]: 'Сервис занят, повторите чуть позже.',
  [unavailableTexts.database]: 'Сервис временно недоступен, повторите чуть позже.',
  [unavailableTexts.stopping]: 'Сервис перезапускается, повторите чуть позже.',
}

/** Translates a refusal by the server at the doors `mobile` and `app` into the language that the caller prefers. */
export function translatedForPhone(reply: Reply, acceptLanguage: string): Reply {
  const { refused, status } = reply
  const translation = refused && preferredLanguage(acceptLanguage) === 'ru' ? russian[refused.sentence] : undefined
  return refused && translation !== undefined ? phoneRefusal(status, translation, refused.headers) : reply
}

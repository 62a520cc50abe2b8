import { catalogue, type Language } from '../../../domain/language.ts'
import type { SettingName } from '../../../platform/settings/catalog.ts'
import { privateAddressesVariable } from '../../../platform/outgoing/destinations.ts'
import { addressErrors, type ShownSetting } from '../../../platform/settings/settings.ts'

const page = 'адрес, начинающийся с http:// или https://, или ничего'
const gatewayAddress = 'адрес, начинающийся с https:// (http:// — только с частным IP-адресом), или ничего'
const text = 'текст не длиннее 1000 знаков'
const someText = 'текст от 1 до 1000 знаков'
const choice = 'одно из предложенного'

/** The Russian names of the settings and what their values must be. The catalog of settings has the English ones. */
const russian: Partial<Record<SettingName, { readonly label: string; readonly must: string }>> = {
  LK_PAYMENT_SYSTEM: { label: 'Платёжная система', must: 'gwa или gwb' },
  LK_PAYMENT_COMMISSION: {
    label: 'Комиссия сверх суммы, доля',
    must: 'доля от 0 до 1, например 0.045, не более шести знаков после точки',
  },
  LK_MOBILE_SCHEMES: {
    label: 'Схемы адресов возврата в приложение, кроме https',
    must: 'схемы вида myisp через запятую',
  },
  LK_GWA_API_URL: { label: 'Адрес интерфейса REST', must: gatewayAddress },
  LK_GWA_FORM_URL: { label: 'Адрес платёжной формы', must: gatewayAddress },
  LK_GWA_SHOP_ID: { label: 'Номер магазина (shopId)', must: text },
  LK_GWA_SECRET_KEY: { label: 'Секретный ключ REST или shopPassword протокола HTTP', must: text },
  LK_GWA_SCID: { label: 'Номер витрины (scid) протокола HTTP', must: text },
  LK_GWA_SUCCESS_URL: { label: 'Страница после успешной оплаты', must: page },
  LK_GWA_FAIL_URL: { label: 'Страница после неудачной оплаты', must: page },
  LK_GWA_VERIFY_BY_API: { label: 'Сверять платёж со шлюзом перед зачислением', must: choice },
  LK_GWA_RECEIPT_ENABLED: { label: 'Отправлять чек', must: choice },
  LK_GWA_VAT_CODE: { label: 'Код НДС в чеке; 1 — без НДС', must: 'целое число от 1 до 12' },
  LK_GWA_PAYMENT_SUBJECT: { label: 'Предмет расчёта в чеке', must: someText },
  LK_GWA_PAYMENT_MODE: { label: 'Способ расчёта в чеке', must: someText },
  LK_GWA_RECEIPT_FALLBACK_EMAIL: {
    label: 'Куда отправлять чеки клиентов без почты и телефона',
    must: 'адрес электронной почты или ничего',
  },
  LK_GWB_FORM_URL: { label: 'Адрес платёжной формы', must: gatewayAddress },
  LK_GWB_MERCHANT_ID: { label: 'Номер магазина', must: text },
  LK_GWB_SECRET_KEY: { label: 'Секретный ключ подписи', must: text },
  LK_GWB_CURRENCY: { label: 'Валюта, числом', must: 'три цифры по ISO 4217' },
  LK_GWB_SUCCESS_URL: { label: 'Страница после успешной оплаты', must: page },
  LK_GWB_FAIL_URL: { label: 'Страница после неудачной оплаты', must: page },
}

const russianAddressErrors: Readonly<Record<string, string>> = {
  [addressErrors.private]: `Это адрес частной сети, которой нет в ${privateAddressesVariable}.`,
  [addressErrors.secretMissing]: 'Введите ещё раз: адрес шлюза меняется.',
}

export const settingsWords = catalogue({
  ru: {
    title: 'Приём платежей',
    saved: 'Сохранено.',
    save: 'Сохранить',
    check: 'Сохранить и проверить связь',
    yes: 'да',
    no: 'нет',
    common: 'Общее',
    gatewayA: 'Шлюз A',
    gatewayB: 'Шлюз B',
    label: ({ name, description }: ShownSetting) => russian[name]?.label ?? description,
    wrong: ({ name }: ShownSetting, error: string) =>
      russianAddressErrors[error] ?? (russian[name] ? `Нужно: ${russian[name].must}.` : error),
  },
  en: {
    title: 'Payments',
    saved: 'Saved.',
    save: 'Save',
    check: 'Save and check connection',
    yes: 'yes',
    no: 'no',
    common: 'Common',
    gatewayA: 'Gateway A',
    gatewayB: 'Gateway B',
    label: ({ description }) => description,
    wrong: (_, error) => error,
  },
})

export type SettingsWords = (typeof settingsWords)[Language]

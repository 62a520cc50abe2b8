import { chapter, plural } from '../../texts/texts.ts'

const people = (count: number) => `${count} ${plural(count, 'абонент', 'абонента', 'абонентов')}`
const english = (count: number) => `${count} ${count === 1 ? 'subscriber' : 'subscribers'}`

export const blockTexts = chapter({
  block: ['Заблокировать', 'Block'],
  open: ['Открыть доступ', 'Open'],
  blockTitle: ['Заблокировать абонентов?', 'Block the subscribers?'],
  openTitle: ['Снять блокировку оператора?', 'Lift the block of the operator?'],
  counting: ['Считаем…', 'Counting…'],
  willBlock: [
    (count: number) => `Будет заблокировано: ${people(count)}`,
    (count: number) => `${english(count)} will be blocked`,
  ],
  willOpen: [
    (count: number) => `Блокировка будет снята: ${people(count)}`,
    (count: number) => `The block of ${english(count)} will be lifted`,
  ],
  nobody: ['Менять некого: всё уже так', 'There is nobody to change: everything is so already'],
  of: [(count: number) => `Отобрано: ${count}`, (count: number) => `Meant: ${count}`],
  same: [(count: number) => `Уже так: ${count}`, (count: number) => `So already: ${count}`],
  online: [
    (count: number) => `Сейчас онлайн, сессии прервутся: ${count}`,
    (count: number) => `Online now and to be cut: ${count}`,
  ],
  stillClosed: [
    (count: number) => `Останутся закрыты по другой причине: ${count}`,
    (count: number) => `Stay closed for another reason: ${count}`,
  ],
  among: [(names: string) => `Среди них: ${names}`, (names: string) => `Among them: ${names}`],
})

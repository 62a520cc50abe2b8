import { chapter, plural } from '../../texts/texts.ts'

export const listTexts = chapter({
  find: ['Найти', 'Find'],
  quick: ['Быстрый отбор', 'Quick filters'],
  columns: ['Столбцы', 'Columns'],
  views: ['Виды списка', 'Saved views'],
  noViews: [
    'Вид хранит фильтры, порядок и столбцы списка под вашим именем.',
    'A view saves the filters, sorting and columns of the list under a name.',
  ],
  viewName: ['Сохранить вид как', 'Save the view as'],
  saveView: ['Сохранить', 'Save'],
  replaceView: ['Заменить', 'Replace'],
  rename: ['Переименовать', 'Rename'],
  renameView: [(name: string) => `Переименовать вид «${name}»`, (name: string) => `Rename the view "${name}"`],
  removeView: [(name: string) => `Удалить вид «${name}»`, (name: string) => `Delete the view "${name}"`],
  viewRemoved: [(name: string) => `Вид «${name}» удалён.`, (name: string) => `The view "${name}" is deleted.`],
  undo: ['Вернуть', 'Undo'],
  export: ['Выгрузить CSV', 'Export CSV'],
  exporting: ['Выгрузка…', 'Exporting…'],
  exported: [
    (count: number) => `Выгружено: ${count} ${plural(count, 'строка', 'строки', 'строк')}`,
    (count: number) => `${count} ${count === 1 ? 'row' : 'rows'} exported`,
  ],
  exportCut: [
    (count: number) => `Выгружены первые ${count} строк, в списке их больше: сузьте отбор`,
    (count: number) => `The first ${count} rows were exported; the list has more, so narrow it down`,
  ],
  markAll: ['Отметить все найденные', 'Select all results'],
  allMarked: [
    (count: string) => `Отмечены все найденные${count && `: ${count}`}`,
    (count: string) => `All${count && ` ${count}`} results selected`,
  ],
  total: [
    (count: string, isMore: boolean) => `${isMore ? 'больше ' : ''}${count}`,
    (count: string, isMore: boolean) => `${isMore ? 'more than ' : ''}${count}`,
  ],
  nothing: ['Ничего не найдено', 'Nothing found'],
  from: ['С какого дня', 'From'],
  to: ['По какой день', 'To'],
  clearSearch: ['Очистить поиск', 'Clear the search'],
  clear: ['Сбросить фильтры', 'Clear the filters'],
  mark: [(name: string) => `Отметить: ${name}`, (name: string) => `Select ${name}`],
  marked: [
    (count: number) => `${plural(count, 'Отмечена', 'Отмечены', 'Отмечено')} ${count}`,
    (count: number) => `${count} selected`,
  ],
  unmark: ['Снять отметки', 'Clear selection'],
  ascending: ['по возрастанию', 'ascending'],
  descending: ['по убыванию', 'descending'],
  loading: ['Загрузка', 'Loading'],
})

// Runs before the page is painted, so that it does not flash in the other theme. A classic script of its own: the
// policy of pages lets no script stand in the document.
const chosen = (() => {
  try {
    return localStorage.getItem('mantine-color-scheme-value')
  } catch {
    return null
  }
})()
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light')

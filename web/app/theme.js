// Light or dark, before anything is drawn: a classic script, so that no page
// flashes in the other theme first. settings.js writes what it reads.

(() => {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const show = () => {
    let chosen = null
    try {
      chosen = localStorage.getItem('nod-theme')
    } catch {
      // A browser that keeps nothing here has the system's theme.
    }
    const theme = chosen || (system.matches ? 'dark' : 'light')
    document.documentElement.dataset.theme = theme
    document.querySelector('meta[name=theme-color]')?.setAttribute('content', theme === 'dark' ? '#151513' : '#f6f4ef')
  }
  show()
  system.addEventListener('change', show)
  for (const type of ['storage', 'nod-theme']) addEventListener(type, show)
})()

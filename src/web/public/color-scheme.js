/*
 * Sets the color scheme before the first paint; the key in local storage is the one that
 * main.tsx names.
 */
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('color-scheme');
  } catch {
    // Storage may be forbidden; the system's scheme is a good answer then.
  }
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
})();

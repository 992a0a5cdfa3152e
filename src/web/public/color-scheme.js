/*
 * Sets the colour scheme before anything is painted. The build writes this into the page; the key is the one that
 * ui/color-scheme.ts writes.
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

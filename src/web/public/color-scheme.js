/*
 * Sets the color scheme before the first paint; the key in local storage is the one that
 * main.tsx names. For a logged-in user, it also starts to load the files of the menu and of the screens, which the
 * application would name only after its first file was read.
 */
(() => {
  let chosen = null;
  let token = null;
  try {
    chosen = localStorage.getItem('color-scheme');
    token = localStorage.getItem('token');
  } catch {
    // Storage may be forbidden; the system's scheme is a good answer then.
  }
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
  const chunks = token === null ? [] : /^\/(my\/?)?$/.test(location.pathname) ? ['overview'] : ['overview', 'screens'];
  for (const chunk of chunks) {
    const href = document.querySelector(`meta[name="chunk-${chunk}"]`)?.content;
    if (href !== undefined)
      document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }));
  }
})();

import { isMantineColorScheme, type MantineColorScheme, type MantineColorSchemeManager } from '@mantine/core';

/** Key in local storage; public/color-scheme.js reads it before the first paint. */
const key = 'color-scheme';

/** Keeps a person's choice of light, dark or the system's scheme in this browser, and follows other tabs. */
export function colorSchemeManager(): MantineColorSchemeManager {
  let listener: ((event: StorageEvent) => void) | undefined;
  return {
    get: (fallback) => {
      const stored = localStorage.getItem(key);
      return isMantineColorScheme(stored) ? stored : fallback;
    },
    set: (scheme: MantineColorScheme) => localStorage.setItem(key, scheme),
    subscribe: (onUpdate) => {
      listener = (event) => {
        if (event.key === key && isMantineColorScheme(event.newValue)) onUpdate(event.newValue);
      };
      window.addEventListener('storage', listener);
    },
    unsubscribe: () => {
      if (listener !== undefined) window.removeEventListener('storage', listener);
    },
    clear: () => localStorage.removeItem(key),
  };
}

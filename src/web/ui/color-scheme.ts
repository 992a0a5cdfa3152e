import { useSyncExternalStore } from 'react';

/** Light, dark, or whatever the system has. */
export type ColorScheme = 'light' | 'dark' | 'auto';

/** Key in local storage; public/color-scheme.js reads it before the first paint. */
const key = 'color-scheme';
/** Attribute of the page that its styles go by. */
const attribute = 'data-mantine-color-scheme';

const listeners = new Set<() => void>();
const prefersDark = '(prefers-color-scheme: dark)';

function chosen(): ColorScheme {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : 'auto';
}

function apply(): void {
  const scheme = chosen();
  const isDark = scheme === 'dark' || (scheme === 'auto' && window.matchMedia(prefersDark).matches);
  document.documentElement.setAttribute(attribute, isDark ? 'dark' : 'light');
  for (const listener of listeners) listener();
}

/** Keeps the page in the scheme that was chosen: follows the system, and other tabs. */
export function followColorScheme(): void {
  window.matchMedia(prefersDark).addEventListener('change', apply);
  window.addEventListener('storage', (event) => {
    if (event.key === key || event.key === null) apply();
  });
}

/** Keeps a person's choice in this browser. */
export function chooseColorScheme(scheme: ColorScheme): void {
  localStorage.setItem(key, scheme);
  apply();
}

/** The person's choice, for components. */
export const useColorScheme = (): ColorScheme => useSyncExternalStore(subscribe, chosen, () => 'auto');

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

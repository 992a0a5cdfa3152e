import { useSyncExternalStore } from 'react';

/** Light, dark, or the system's scheme. */
export type ColorScheme = 'light' | 'dark' | 'auto';

/** Key in local storage; public/color-scheme.js reads it before the first paint. */
const key = 'color-scheme';
/** Attribute of the page that its styles use. */
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

/** Applies the chosen scheme, and follows changes by the system and other tabs. */
export function followColorScheme(): void {
  window.matchMedia(prefersDark).addEventListener('change', apply);
  window.addEventListener('storage', (event) => {
    if (event.key === key || event.key === null) apply();
  });
}

/** Stores the user's choice in this browser. */
export function chooseColorScheme(scheme: ColorScheme): void {
  localStorage.setItem(key, scheme);
  apply();
}

/** The user's choice, for components. */
export const useColorScheme = (): ColorScheme => useSyncExternalStore(subscribe, chosen, () => 'auto');

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

import { ownPathOf } from '#core/values/own-path.ts';

const key = 'requested-path';

/** Remembers in this tab the path that the user requested before the login, until it is used. */
export function rememberPath(path: string): void {
  sessionStorage.setItem(key, path);
}

/**
 * Returns and forgets the path to open after the login.
 *
 * @param otherwise the path if none is remembered.
 */
export function takePath(otherwise = '/my'): string {
  const path = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  return ownPathOf(path ?? '') ?? otherwise;
}

/** Forgets the path: after a deliberate logout, the next login starts at the Overview. */
export const forgetPath = (): void => sessionStorage.removeItem(key);

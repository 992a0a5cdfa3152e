import { ownPathOf } from '#core/values/own-path.ts';

const key = 'requested-path';

/** Remembers where somebody wanted to go before they had to sign in; for this tab, until it is used. */
export function rememberPath(path: string): void {
  sessionStorage.setItem(key, path);
}

/**
 * Takes the path to go to after signing in: the remembered one, which is forgotten.
 *
 * @param otherwise the path when none is remembered.
 */
export function takePath(otherwise = '/my'): string {
  const path = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  return ownPathOf(path ?? '') ?? otherwise;
}

/** Forgets the path: whoever logs in next on purpose begins at the Overview. */
export const forgetPath = (): void => sessionStorage.removeItem(key);

/** Parts of a path, named by its pattern. */
export type Params = Readonly<Record<string, string | undefined>>;

/**
 * Returns the named parts of a path. Ignores case and a trailing slash.
 *
 * @returns null if the path does not match the pattern.
 */
export function matchPath(pattern: string, pathname: string): Params | null {
  if (pattern === '*') return {};
  const wanted = pattern.split('/').filter(Boolean);
  const given = pathname.split('/').filter(Boolean);
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = decoded(text);
    else if (part.toLowerCase() !== text.toLowerCase()) return null;
  }
  return params;
}

/** Decodes a part of a path; returns it unchanged if it cannot be decoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

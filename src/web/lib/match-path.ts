/** Parts of a path by the names that its pattern gives them. */
export type Params = Readonly<Record<string, string | undefined>>;

/**
 * The parts of a path that a pattern names.
 *
 * @returns null when the path is not of this pattern. Letters count alike in both cases, and so does a slash at the end.
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

/** A part of a path as a person would write it; one that cannot be decoded is left as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

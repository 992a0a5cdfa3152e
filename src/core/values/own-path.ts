const here = 'http://here.invalid';

/**
 * Returns the path inside the application in a text, with its query; null for everything that could lead elsewhere.
 * Interprets the text like a browser: `/.//host` begins like a path and ends as an address (reliability reference 2.3,
 * row 18).
 */
export function ownPathOf(text: string): string | null {
  // A browser leaves out tabs and line ends, and reads a backslash as a slash.
  if (!/^\/[\x21-\x7e]*$/.test(text) || text.includes('\\')) return null;
  const url = URL.parse(text, here);
  if (url === null || url.origin !== here || url.pathname.startsWith('//')) return null;
  return `${url.pathname}${url.search}`;
}

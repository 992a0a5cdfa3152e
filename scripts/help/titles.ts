/** A title in the help. */
export interface HelpTitle {
  /** Page and section below `/help/`. */
  readonly path: string;
  readonly title: string;
  /** Title of the page. */
  readonly page: string;
}

const heading = /<h([12]) id="([^"]+)"[^>]*>(.*?)<a class="header-anchor"/gs;

/**
 * Returns the titles of a page and of its sections, for the search of the application.
 *
 * @param path of the page below `/help/`, without `.html`
 * @param html the page as it was built
 */
export function titlesOf(path: string, html: string): readonly HelpTitle[] {
  const found = [...html.matchAll(heading)].map(([, level, id = '', text = '']) => ({
    level,
    id,
    title: decoded(text.replaceAll(/<[^>]+>/g, '')).trim(),
  }));
  const page = found.find(({ level }) => level === '1')?.title ?? '';
  return found.map(({ level, id, title }) => ({ path: level === '1' ? path : `${path}#${id}`, title, page }));
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': '’' };

const decoded = (text: string): string =>
  text.replaceAll(/&([a-z0-9#]+);/g, (whole, name: string) => entities[name] ?? whole);

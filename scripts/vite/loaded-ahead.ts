import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';

/** Modules that the first page requests when its entry runs, as ends of their paths. */
export interface Ahead {
  /**
   * Script of the page that runs before anything else. It is inlined into the page with the list of prefetched files at
   * its end: as a file it would cost a round trip. The server allows it by its hash.
   */
  readonly script: string;
  /** Local storage key that exists when a user is logged in. */
  readonly sessionKey: string;
  /** Modules for users who are not logged in. */
  readonly loggedOut: readonly string[];
  /** Modules for logged-in users at any address. */
  readonly loggedIn: readonly string[];
  /** Additional modules at some addresses. */
  readonly byPath: Readonly<Record<string, string>>;
  /**
   * First requests of a screen: API addresses by the path of the page, for sessions with the role and a client.
   * `src/web/lib/prefetched.ts` returns the responses.
   */
  readonly asked: { readonly role: string; readonly byPath: Readonly<Record<string, readonly string[]>> };
}

/** Returns the files of a module and of everything it needs before it runs, without those of the entry. */
function filesOf(bundle: Rolldown.OutputBundle, module: string): string[] {
  const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
  const reach = (names: readonly string[], into: Set<string>): Set<string> => {
    for (const name of names) {
      const chunk = bundle[name];
      if (into.has(name) || chunk?.type !== 'chunk') continue;
      into.add(name);
      reach(chunk.imports, into);
    }
    return into;
  };
  const own = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(module)));
  if (own === undefined) throw new Error(`No chunk found for ${module}, which is preloaded.`);
  const stylesOf = (names: Iterable<string>) =>
    [...names].flatMap((name) => {
      const chunk = bundle[name];
      return chunk?.type === 'chunk' ? [...(chunk.viteMetadata?.importedCss ?? [])] : [];
    });
  const entry = reach(
    chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName),
    new Set(),
  );
  const needed = reach([own.fileName], new Set());
  const there = new Set([...entry, ...stylesOf(entry)]);
  return [...new Set([...needed, ...stylesOf(needed)])].filter((name) => !there.has(name));
}

/**
 * Lets the browser load the files and the first responses of a screen in parallel with the entry. On a slow connection
 * each of these steps takes half a second.
 */
export const loadedAhead = ({ script, sessionKey, loggedOut, loggedIn, byPath, asked }: Ahead): Plugin => ({
  name: 'loaded-ahead',
  apply: 'build',
  enforce: 'post',
  writeBundle({ dir }, bundle) {
    if (dir === undefined) return;
    const files = (modules: readonly string[]) => [...new Set(modules.flatMap((one) => filesOf(bundle, one)))];
    const paths = Object.fromEntries(Object.entries(byPath).map(([path, module]) => [path, files([module])]));
    const loading = `(() => {
  let token = null;
  try { token = localStorage.getItem(${JSON.stringify(sessionKey)}); } catch {}
  const files = token !== null
    ? new Set([...${JSON.stringify(files(loggedIn))}, ...(${JSON.stringify(paths)}[location.pathname] ?? [])])
    : ${JSON.stringify(files(loggedOut))};
  for (const file of files) {
    const link = document.createElement('link');
    link.rel = file.endsWith('.css') ? 'preload' : 'modulepreload';
    if (link.rel === 'preload') link.as = 'style';
    link.crossOrigin = '';
    link.href = '/' + file;
    document.head.append(link);
  }
  const asked = ${JSON.stringify(asked.byPath)}[location.pathname];
  if (token === null || asked === undefined) return;
  let claims = {};
  try { claims = JSON.parse(atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/'))); } catch {}
  const { exp = 0, client = null, user } = claims;
  if (exp * 1000 <= Date.now() || client === null || user?.roles?.includes(${JSON.stringify(asked.role)}) !== true) return;
  const headers = { accept: 'application/json', authorization: 'Bearer ' + token };
  const answers = Object.fromEntries(asked.map((address) => [address, fetch(address, { headers })]));
  // The caller that takes the response handles the failure.
  for (const answer of Object.values(answers)) answer.catch(() => undefined);
  window.prefetched = { token, answers };
})();
`;
    const page = join(dir, 'index.html');
    const tag = `<script src="/${script}"></script>`;
    const written = readFileSync(page, 'utf8').split(tag);
    if (written.length !== 2) throw new Error(`The page does not load ${script}.`);
    const first = readFileSync(join(dir, script), 'utf8');
    writeFileSync(page, written.join(`<script>\n${first}${loading}</script>`));
    rmSync(join(dir, script));
  },
});

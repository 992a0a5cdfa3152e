import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';

/** Modules that a first page will ask for once its entry runs, as the ends of their paths. */
export interface Ahead {
  /**
   * Script of the page that runs before anything else. It is written into the page, with what is loaded ahead at its end:
   * as a file it would take a round trip before anything is asked for. The server allows it by its hash.
   */
  readonly script: string;
  /** Key in local storage that whoever has logged in has. */
  readonly sessionKey: string;
  /** Modules that come for those who have not logged in. */
  readonly loggedOut: readonly string[];
  /** Modules that come for those who have, whatever their address. */
  readonly loggedIn: readonly string[];
  /** Modules that come beside those at some addresses. */
  readonly byPath: Readonly<Record<string, string>>;
  /**
   * Questions that a screen asks first, as addresses of the API by the path of the page: asked for those whose session has
   * the role and a client. `src/web/lib/asked-ahead.ts` hands the answers out.
   */
  readonly asked: { readonly role: string; readonly byPath: Readonly<Record<string, readonly string[]>> };
}

/** Files of a module and of everything that it needs before it runs, without those of the entry. */
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
  if (own === undefined) throw new Error(`There is no chunk of ${module}, which is to be loaded ahead.`);
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
 * Lets the browser load what the first screen needs beside the entry, and ask what it asks first, and not only once that
 * runs: on a slow line each of the three takes half a second.
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
  // A failure is heard of by whoever takes the answer.
  for (const answer of Object.values(answers)) answer.catch(() => undefined);
  window.askedAhead = { token, answers };
})();
`;
    const page = join(dir, 'index.html');
    const tag = `<script src="/${script}"></script>`;
    const written = readFileSync(page, 'utf8').split(tag);
    if (written.length !== 2) throw new Error(`The page does not ask for ${script}.`);
    const first = readFileSync(join(dir, script), 'utf8');
    writeFileSync(page, written.join(`<script>\n${first}${loading}</script>`));
    rmSync(join(dir, script));
  },
});

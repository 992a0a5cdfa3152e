import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/** Limits of the first visit of a screen, in bytes after gzip, as if nothing were in the browser's cache. */
export interface Budget {
  /** The module of the screen, as the end of its path. */
  readonly screen: string;
  readonly javascript: number;
  readonly css: number;
}

/** Bytes of one screen: its chunk, the entry, and everything that either of them needs before it runs. */
interface Cost {
  readonly javascript: number;
  readonly css: number;
}

const size = (content: string | Uint8Array): number => gzipSync(content, { level: 9 }).length;

function costOf(bundle: Rolldown.OutputBundle, screen: string): Cost | null {
  const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
  const own = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(screen) === true);
  if (own === undefined) return null;
  const needed = new Set<string>();
  const need = (name: string): void => {
    const chunk = bundle[name];
    if (needed.has(name) || chunk?.type !== 'chunk') return;
    needed.add(name);
    for (const next of chunk.imports) need(next);
  };
  for (const { fileName, isEntry } of chunks) if (isEntry) need(fileName);
  need(own.fileName);
  const used = chunks.filter(({ fileName }) => needed.has(fileName));
  const styles = new Set(used.flatMap((chunk) => [...(chunk.viteMetadata?.importedCss ?? [])]));
  const css = [...styles].flatMap((name) => {
    const asset = bundle[name];
    return asset?.type === 'asset' ? [size(asset.source)] : [];
  });
  const sum = (sizes: readonly number[]) => sizes.reduce((total, one) => total + one, 0);
  return { javascript: sum(used.map(({ code }) => size(code))), css: sum(css) };
}

/** Fails the build when the first visit of a screen has become dearer than its budget, and says by how much. */
export const byteBudgets = (budgets: readonly Budget[]): Plugin => ({
  name: 'byte-budgets',
  apply: 'build',
  enforce: 'post',
  generateBundle(_, bundle) {
    for (const budget of budgets) {
      const cost = costOf(bundle, budget.screen);
      if (cost === null) this.error(`There is no chunk of ${budget.screen}, which has a budget.`);
      for (const kind of ['javascript', 'css'] as const)
        if (cost[kind] > budget[kind])
          this.error(
            `${budget.screen} costs ${String(cost[kind])} bytes of ${kind} (gzip) at its first visit, ${String(budget[kind])} are allowed.`,
          );
    }
  },
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/** Limits of the first visit of a screen, in bytes after gzip with an empty cache. */
export interface Budget {
  /** Modules on the screen, as ends of their paths: the screen, and its frame when that is loaded separately. */
  readonly modules: readonly [string, ...string[]];
  readonly javascript: number;
  readonly css: number;
}

export interface Budgets {
  readonly visits: Readonly<Record<string, Budget>>;
  /** Maximum bytes after gzip that one screen adds to what is already loaded. */
  readonly screen: number;
  /** Output file for the figures of the build, for comparison. */
  readonly report: string;
}

/** Bytes of a visit: the entry, the screen's modules, and everything they need before they run. */
interface Cost {
  readonly javascript: number;
  readonly css: number;
}

const gzip = (content: string | Uint8Array): number => gzipSync(content, { level: 9 }).length;
const brotli = (content: string | Uint8Array): number =>
  brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }).length;

type Size = typeof gzip;

const chunksOf = (bundle: Rolldown.OutputBundle) => Object.values(bundle).filter((one) => one.type === 'chunk');

/** Returns the bytes of the files that a visit needs; null when one of its modules has no chunk. */
function costOf(bundle: Rolldown.OutputBundle, modules: readonly string[], size: Size): Cost | null {
  const chunks = chunksOf(bundle);
  const own = modules.map((module) => chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(module))));
  const needed = new Set<string>();
  const need = (name: string): void => {
    const chunk = bundle[name];
    if (needed.has(name) || chunk?.type !== 'chunk') return;
    needed.add(name);
    for (const next of chunk.imports) need(next);
  };
  for (const { fileName, isEntry } of chunks) if (isEntry) need(fileName);
  for (const chunk of own) {
    if (chunk === undefined) return null;
    need(chunk.fileName);
  }
  const used = chunks.filter(({ fileName }) => needed.has(fileName));
  const styles = new Set(used.flatMap((chunk) => [...(chunk.viteMetadata?.importedCss ?? [])]));
  const css = [...styles].flatMap((name) => {
    const asset = bundle[name];
    return asset?.type === 'asset' ? [size(asset.source)] : [];
  });
  const sum = (sizes: readonly number[]) => sizes.reduce((total, one) => total + one, 0);
  return { javascript: sum(used.map(({ code }) => size(code))), css: sum(css) };
}

/**
 * Fails the build when the first visit of a screen, or the size of a screen, exceeds its budget, and reports by how
 * much. Writes the figures of every budget to a file.
 */
export const byteBudgets = ({ visits, screen, report }: Budgets): Plugin => ({
  name: 'byte-budgets',
  apply: 'build',
  enforce: 'post',
  generateBundle(_, bundle) {
    const found: Record<string, Cost & { readonly onTheWire: number }> = {};
    for (const [name, budget] of Object.entries(visits)) {
      const cost = costOf(bundle, budget.modules, gzip);
      const wire = costOf(bundle, budget.modules, brotli);
      if (cost === null || wire === null) this.error(`No chunk found for ${name}, which has a budget.`);
      for (const kind of ['javascript', 'css'] as const)
        if (cost[kind] > budget[kind])
          this.error(
            `${name} loads ${String(cost[kind])} bytes of ${kind} (gzip) on the first visit; the limit is ${String(budget[kind])}.`,
          );
      found[name] = { ...cost, onTheWire: wire.javascript + wire.css };
    }
    for (const { facadeModuleId, fileName, code } of chunksOf(bundle))
      if (facadeModuleId?.includes('/src/web/screens/') === true && gzip(code) > screen)
        this.error(`${fileName} is ${String(gzip(code))} bytes (gzip); the limit for a screen is ${String(screen)}.`);
    mkdirSync(join(report, '..'), { recursive: true });
    writeFileSync(report, `${JSON.stringify(found, null, 2)}\n`);
  },
});

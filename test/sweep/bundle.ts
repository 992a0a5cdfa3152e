import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'vite';

const root = resolve(import.meta.dirname, '..', '..');

/** The killed process as a single file in a temporary folder. */
export interface Bundle {
  /** Path of the file to start. */
  readonly worker: string;
  /** Folder of Node's compile cache. */
  readonly compiled: string;
  remove(): Promise<void>;
}

/**
 * Bundles the worker into one file. The sweep starts thousands of processes, and each would otherwise load several
 * hundred files.
 */
export async function bundleWorker(): Promise<Bundle> {
  // The same depth as the source files, because the product looks for package.json from there.
  const cache = join(root, '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'sweep-'));
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: join('test', 'sweep', 'worker.ts'),
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: {
        // The sandboxes read files beside their sources.
        external: [/^@tallybridge\/sandbox/],
        output: { entryFileNames: 'worker.js', codeSplitting: false },
      },
    },
  });
  return {
    worker: join(folder, 'worker.js'),
    compiled: join(folder, 'compiled'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'vite';

const root = resolve(import.meta.dirname, '..', '..');

/** The process that the sweep kills as one file, in a folder of its own. */
export interface Bundle {
  /** Path of the file that a process is started with. */
  readonly worker: string;
  /** Folder in which processes keep compiled code. */
  readonly compiled: string;
  remove(): Promise<void>;
}

/**
 * Puts the worker and everything that it uses into one file: thousands of them are started, and each would look for,
 * read and strip several hundred.
 */
export async function bundleWorker(): Promise<Bundle> {
  // As deep as any source file is, for the product looks for its package.json from there.
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
      rolldownOptions: { output: { entryFileNames: 'worker.js', codeSplitting: false } },
    },
  });
  return {
    worker: join(folder, 'worker.js'),
    compiled: join(folder, 'compiled'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

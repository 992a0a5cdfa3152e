/** The whole product, as `tallybridge start` runs it. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { readEnvironmentFile } from './environment-file.ts';
import { keepHeapSmall } from './small-heap.ts';

// Modules that were read and compiled once are kept beside the data, which nobody but the product's user can write: the
// next start takes half the processor time, and needs no compiler for types in its memory.
readEnvironmentFile();
// Memory is limited in processes that only sync (docs/performance.md, Jobs).
if (process.env['TALLYBRIDGE_ROLE'] === 'worker') keepHeapSmall();
enableCompileCache(join(process.env['DATA_DIR'] ?? '.data', 'compile-cache'));
const { runProduct } = await import('./run.ts');

await runProduct();

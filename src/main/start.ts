/** The whole product, as `tallybridge start` runs it. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { readEnvironmentFile } from './environment-file.ts';
import { keepHeapSmall } from './small-heap.ts';

// Compiled modules are cached in the data folder, which only the product's user can write: the next start takes half
// the processor time, and loads no type compiler into memory.
readEnvironmentFile();
// Memory is limited in processes that only sync (docs/performance.md, Jobs).
if (process.env['TALLYBRIDGE_ROLE'] === 'worker') keepHeapSmall();
enableCompileCache(join(process.env['DATA_DIR'] ?? '.data', 'compile-cache'));
const { runProduct } = await import('./run.ts');

await runProduct({ migrates: process.argv.includes('--migrate') });

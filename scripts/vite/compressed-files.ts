import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Kinds of files that get smaller; fonts and pictures are compressed already. */
const compressible = /\.(js|css|html|svg|txt|webmanifest)$/;
/** In bytes: below this an answer travels in one packet either way. */
const worthIt = 1024;

/**
 * Writes each built file a second and third time, with Brotli and gzip at their best, for the server to send as it is:
 * the time is spent once, at the build, and never while somebody waits.
 */
export const compressedFiles = (): Plugin => ({
  name: 'compressed-files',
  apply: 'build',
  enforce: 'post',
  writeBundle({ dir }) {
    if (dir === undefined) return;
    for (const file of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      if (!file.isFile() || !compressible.test(file.name)) continue;
      const path = join(file.parentPath, file.name);
      const content = readFileSync(path);
      if (content.length < worthIt) continue;
      const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
      writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
      writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
    }
  },
});

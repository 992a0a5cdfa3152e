import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** File types that compress well; fonts and pictures are already compressed. */
const compressible = /\.(js|css|html|svg|txt|webmanifest)$/;
/** Minimum size in bytes: a smaller response fits in one packet anyway. */
const worthIt = 1024;

/**
 * Writes a Brotli and a gzip copy of each built file at the highest level. Compression then costs time once, at the
 * build, and not during requests.
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

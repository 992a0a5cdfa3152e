/**
 * Builds the help into `dist/help`, which the server serves at `/help`: the articles in `docs/guide` and `docs/operate`
 * with the generated tables, their pictures, the changelog, and
 * the API reference. Files get compressed copies.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { apiPages } from './help/api.ts';
import { helpPages } from './help/pages.ts';
import { titlesOf } from './help/titles.ts';

const root = resolve(import.meta.dirname, '..');
const source = join(root, '.cache', 'help');
const target = join(root, 'dist', 'help');
/** Smaller files are not worth a compressed copy. */
const minBytes = 1024;

async function writePages(): Promise<void> {
  rmSync(source, { recursive: true, force: true });
  for (const [path, text] of [...helpPages(root), ...(await apiPages())]) {
    mkdirSync(dirname(join(source, path)), { recursive: true });
    writeFileSync(join(source, path), text);
  }
  cpSync(join(root, 'docs', 'screens'), join(source, 'screens'), { recursive: true });
  cpSync(join(root, 'docs', 'guide', 'pictures'), join(source, 'guide', 'pictures'), { recursive: true });
  cpSync(join(root, 'docs', 'guide', 'pictures'), join(source, 'public', 'pictures'), { recursive: true });
  cpSync(join(root, 'src', 'web', 'public', 'icon.svg'), join(source, 'public', 'icon.svg'));
}

/** Lists the titles of the articles, which the application searches. */
function writeTitles(): void {
  const pages = globSync('{guide,operate}/*.html', { cwd: target }).toSorted();
  const titles = pages.flatMap((page) =>
    titlesOf(page.replace(/\.html$/, '').replaceAll('\\', '/'), readFileSync(join(target, page), 'utf8')),
  );
  writeFileSync(join(target, 'titles.json'), JSON.stringify(titles));
}

function compress(): void {
  for (const name of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(html|js|css|json|svg)$/.test(name)) continue;
    const bytes = readFileSync(join(target, name));
    if (bytes.length < minBytes) continue;
    writeFileSync(join(target, `${name}.gz`), gzipSync(bytes));
    writeFileSync(
      join(target, `${name}.br`),
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    );
  }
}

await writePages();
rmSync(target, { recursive: true, force: true });
const vitepress = join(root, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
const build = spawnSync(process.execPath, [vitepress, 'build', 'docs', '--logLevel', 'warn'], {
  cwd: root,
  encoding: 'utf8',
});
if (build.status === 0) {
  writeTitles();
  compress();
} else {
  console.error(`${build.stdout}${build.stderr}`);
  process.exitCode = 1;
}

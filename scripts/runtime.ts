/**
 * `npm run runtime`: copies what a deployment runs into `dist/runtime`: no tests, no sources of the screens, no sandbox.
 * The screens must be built. Afterward, `npm ci --omit=dev --omit=optional` in that folder installs the packages.
 * `--demo` adds the sandbox.
 */
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const parts = [
  'bin',
  'src',
  join('dist', 'web'),
  join('dist', 'help'),
  'package.json',
  'package-lock.json',
  '.npmrc',
  'LICENSE',
] as const;
const sandbox = ['package.json', 'src'].map((part) => join('packages', 'sandbox', part));

/**
 * Copies the parts of the program.
 *
 * @param target folder, which is created.
 */
export function assemble(target: string, { hasSandbox = false }: { readonly hasSandbox?: boolean } = {}): void {
  const screens = join(root, 'src', 'web');
  const isPart = (path: string) => !/\.test\.tsx?$/.test(path) && path !== screens && !path.startsWith(screens + sep);
  for (const part of [...parts, ...(hasSandbox ? sandbox : [])])
    if (existsSync(join(root, part))) cpSync(join(root, part), join(target, part), { recursive: true, filter: isPart });
}

if (import.meta.main) {
  if (!existsSync(join(root, 'dist', 'web', 'index.html'))) {
    console.error('The screens are not built: run “npm run build” first.');
    process.exit(1);
  }
  const target = join(root, 'dist', 'runtime');
  rmSync(target, { recursive: true, force: true });
  assemble(target, { hasSandbox: process.argv.includes('--demo') });
  console.log(target);
}

import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError } from './config.ts';

/** Sources of the screens and the help. */
const sources = [
  'src/web',
  'src/contract',
  'src/core',
  'index.html',
  'vite.config.ts',
  'package-lock.json',
  'docs',
  'scripts/help',
  'CHANGELOG.md',
];

const pageOf = (root: string): string => join(root, 'dist', 'web', 'index.html');

/** Returns true if `npm run build` has built the screens. */
export const isBuilt = (root: string): boolean => existsSync(pageOf(root));

/** Returns true if the screens are not built, or were built from older sources. */
export async function isOutdated(root: string): Promise<boolean> {
  if (!isBuilt(root)) return true;
  const builtAt = statSync(pageOf(root)).mtimeMs;
  for (const source of sources) {
    const path = join(root, source);
    if (!existsSync(path)) continue;
    if ((await newestMs(path)) > builtAt) return true;
  }
  return false;
}

async function newestMs(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isDirectory()) return found.mtimeMs;
  const times = await Promise.all((await readdir(path)).map((name) => newestMs(join(path, name))));
  return Math.max(found.mtimeMs, ...times);
}

/**
 * Builds the help and the screens. If the build tools are not installed, keeps the screens of an earlier build.
 *
 * @throws ConfigurationError if the build fails or cannot start.
 */
export async function buildScreens(root: string): Promise<void> {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  if (!existsSync(vite)) {
    if (isBuilt(root)) return;
    throw new ConfigurationError(
      'The screens are not built, and the tools that build them are not installed: run “npm ci”, then start again.',
    );
  }
  const isSuccess =
    (await runTool(root, [join('scripts', 'help.ts')])) && (await runTool(root, [vite, 'build', '--logLevel', 'warn']));
  if (!isSuccess) throw new ConfigurationError('The screens could not be built: see the messages above.');
}

/** Runs a tool of the build, which ends with this process. Returns true if it succeeds. */
async function runTool(root: string, command: readonly string[]): Promise<boolean> {
  const build = spawn(process.execPath, command, { cwd: root, stdio: 'inherit' });
  const end = () => build.kill();
  process.once('exit', end);
  const code = await new Promise((ended) => build.once('exit', ended));
  process.off('exit', end);
  return code === 0;
}

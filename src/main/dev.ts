/** `npm run dev`: runs the product with reload: restarts the server and rebuilds the web application on each change. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');
const run = (...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });

const children = [
  run(join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--watch', '--logLevel', 'warn'),
  run('--watch-preserve-output', '--watch-path=src', join('src', 'main', 'start.ts')),
];
const end = () => {
  for (const child of children) child.kill('SIGTERM');
};
process.once('SIGINT', end);
process.once('SIGTERM', end);
for (const child of children) child.once('exit', end);

/**
 * `npm run build`: writes the package as JavaScript with types into `dist`, for `npm publish ./dist`. A checkout runs the
 * sources instead, because Node runs no TypeScript from node_modules.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = import.meta.dirname;
const dist = join(root, 'dist');
rmSync(dist, { recursive: true, force: true });
execFileSync('tsc', ['-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
for (const file of globSync(['README.md', 'src/**/*.{md,txt}'], { cwd: root }))
  cpSync(join(root, file), join(dist, file));
cpSync(join(root, '../../LICENSE'), join(dist, 'LICENSE'));

const {
  private: _private,
  scripts: _scripts,
  devDependencies: _tools,
  ...manifest
} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
const text = JSON.stringify(manifest, null, 2).replaceAll(/"(\.\/src\/\w+)\.ts"/g, '"$1.js"');
writeFileSync(join(dist, 'package.json'), `${text}\n`);

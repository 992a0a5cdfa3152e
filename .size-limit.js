import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync('dist/web/.vite/manifest.json', 'utf8'));

/** Returns the JavaScript files of the first visit to a screen: the entry, the modules, and their static imports. */
function filesOf(...modules) {
  const keys = new Set();
  const add = (key) => {
    if (keys.has(key)) return;
    keys.add(key);
    for (const next of manifest[key].imports ?? []) add(next);
  };
  for (const key of ['index.html', ...modules.map((module) => `src/web/${module}`)]) add(key);
  return [...keys].map((key) => `dist/web/${manifest[key].file}`);
}

export default [
  { name: 'login', path: filesOf('screens/login/login.tsx'), limit: '150 kB', gzip: true },
  { name: 'overview', path: filesOf('shell/frame.tsx', 'screens/overview/overview.tsx'), limit: '210 kB', gzip: true },
];

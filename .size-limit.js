import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync('dist/web/.vite/manifest.json', 'utf8'));

/** Returns the JavaScript files of the first visit to a screen: the entry, the chunk, and their static imports. */
function filesOf(chunk) {
  const keys = new Set();
  const add = (key) => {
    if (keys.has(key)) return;
    keys.add(key);
    for (const next of manifest[key].imports ?? []) add(next);
  };
  add('index.html');
  if (chunk !== undefined) add(Object.keys(manifest).find((key) => manifest[key].name === chunk));
  return [...keys].map((key) => `dist/web/${manifest[key].file}`);
}

export default [
  { name: 'login', path: filesOf(), limit: '150 kB', gzip: true },
  { name: 'overview', path: filesOf('overview'), limit: '210 kB', gzip: true },
];

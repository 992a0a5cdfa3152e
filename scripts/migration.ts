/**
 * `npm run migration NAME`: creates the next numbered migration, e.g. `npm run migration invoice_notes`, and prints its
 * path.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '..', 'src', 'store', 'migrations');

/**
 * @param files names of the existing migrations.
 * @returns the name of the file, with the number after the highest one.
 */
export function nextMigration(files: readonly string[], name: string): string {
  const numbers = files.map((file) => Number(/^(\d{4})_/.exec(file)?.[1] ?? 0));
  return `${String(Math.max(0, ...numbers) + 1).padStart(4, '0')}_${name}.sql`;
}

if (import.meta.main) {
  const [name] = process.argv.slice(2);
  if (name === undefined || !/^[a-z][a-z0-9_]*$/.test(name)) {
    console.error('Use lower-case letters, digits, and underscores: npm run migration invoice_notes');
    process.exit(1);
  }
  const path = join(folder, nextMigration(readdirSync(folder), name));
  writeFileSync(path, '-- What changes, and why. Never edit a migration after it is merged.\n', { flag: 'wx' });
  console.log(path);
}

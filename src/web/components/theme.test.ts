import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const web = join(import.meta.dirname, '..');
const library = join(web, '..', '..', 'node_modules', '@mantine', 'core', 'styles');

test('each component of the library has its styles', () => {
  const styles = readFileSync(join(web, 'components', 'mantine.css'), 'utf8');
  const used = globSync('**/*.tsx', { cwd: web }).flatMap((path) =>
    [...readFileSync(join(web, path), 'utf8').matchAll(/import \{([^}]+)\} from '@mantine\/core'/g)].flatMap(
      ([, names = '']) => names.split(',').map((name) => name.trim().split(' as ')[0] ?? ''),
    ),
  );
  const styled = [...new Set(used)].filter((name) => existsSync(join(library, `${name}.layer.css`)));
  expect(styled.length).toBeGreaterThan(20);
  expect(styled.filter((name) => !styles.includes(`/${name}.layer.css'`))).toEqual([]);
});

/**
 * Checks the import table of ARCHITECTURE.md: which area may import which. Prints each forbidden import and exits 1.
 * Tests may import any area, and no area imports `main`. Only `main` and tests import the sandbox package, which imports
 * nothing of the product. API routes call neither the store nor a service. In the sync engine, imports go down only. No
 * file is part of an import cycle, types included.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * Area → the areas it may import by name (`#area/...`); `types of`: only by `import type`. Inside an area, imports are
 * relative.
 */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  contract: ['core'],
  flows: ['core', 'types of store'],
  connectors: ['core'],
  store: ['core'],
  api: ['core', 'contract', 'flows', 'types of store'],
  worker: ['core', 'flows', 'types of store'],
  web: ['core', 'contract'],
  main: ['core', 'contract', 'flows', 'connectors', 'store', 'api', 'worker'],
};

/** Packages that only some areas may use: pure areas have no input or output. */
const packagesByArea: Readonly<Record<string, readonly RegExp[]>> = {
  core: [/^decimal\.js$/],
  contract: [/^zod$/],
};

/** Folders of the sync engine, from the top to the bottom. */
const engineFolders = ['job', 'chunk', 'document', 'kinds'].map((name) => `src/flows/sync/${name}/`);
const engineLevel = (file: string): number => engineFolders.findIndex((folder) => file.startsWith(folder));
const goesUp = (file: string, target: string): boolean =>
  engineLevel(target) !== -1 && engineLevel(target) < engineLevel(file);

export interface Crossing {
  readonly file: string;
  readonly line: number;
  readonly specifier: string;
  readonly why: string;
}

/** Modules of the contract without schemas; from the others the browser may import types. */
const contractForBrowsers = /^#contract\/(calls\/|define\.|connect-problems\.)/;

/** An inline `import { type A }` still loads its module. */
const isTypeImport = (statement: string): boolean => /^\s*import type\b/.test(statement);

const isSchemaImport = (specifier: string, statement: string): boolean =>
  specifier.startsWith('#contract/') && !contractForBrowsers.test(specifier) && !isTypeImport(statement);

const importPattern =
  /(?:^|[\s;])(?:import|export)\s(?:[^'";]*?from\s*)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;

/**
 * Finds every forbidden import of one file.
 *
 * @param root folder that contains `src`
 * @param file path relative to `root`
 * @param text the file's source
 */
export function crossings(root: string, file: string, text: string): Crossing[] {
  const area = file.split('/')[1];
  if (file.startsWith('packages/')) return packageCrossings(root, file, text);
  if (area === undefined || !file.startsWith('src/')) return [];
  const allowed = mayImport[area];
  if (allowed === undefined) return [{ file, line: 1, specifier: area, why: `unknown area “${area}”` }];
  const isTest = /\.(test|spec)\.tsx?$/.test(file);
  const found: Crossing[] = [];
  for (const { specifier, line, statement } of importsIn(text)) {
    const report = (why: string) => found.push({ file, line, specifier, why });
    if (specifier.startsWith('#')) {
      const target = specifier.slice(1).split('/')[0] ?? '';
      if (target === 'main') report('no area may import main');
      else if (target === area) report('use a relative path inside an area');
      else if (!isTest && allowed.includes(`types of ${target}`)) {
        if (!isTypeImport(statement)) report(`${area} imports only types of ${target}, by import type`);
      } else if (!isTest && !allowed.includes(target)) report(`${area} may not import ${target}`);
      else if (!isTest && area === 'web' && isSchemaImport(specifier, statement))
        report('the browser uses only calls and types of the contract');
    } else if (specifier.startsWith('.')) {
      const target = relative(root, resolve(root, dirname(file), specifier));
      if (!target.startsWith(`src/${area}/`)) report('a relative path may not leave its area');
      else if (!isTest && goesUp(file, target)) report('in the sync engine, imports go down only');
    } else if (!isTest) {
      const packages = packagesByArea[area];
      if (packages !== undefined && !packages.some((pattern) => pattern.test(specifier)))
        report(`${area} may not use the package ${specifier}`);
      else if (/^(vitest|fast-check|@playwright\/test)$/.test(specifier)) report('only tests use a test framework');
      else if (specifier === '@tallybridge/sandbox' && area !== 'main') report('only main and tests use the sandbox');
    }
  }
  if (!isTest && file.startsWith('src/api/routes/')) found.push(...portCalls(file, text));
  return found;
}

/** A package imports nothing of the product, in its tests as well. */
function packageCrossings(root: string, file: string, text: string): Crossing[] {
  const folder = file.split('/').slice(0, 2).join('/');
  const leaves = (specifier: string) =>
    specifier.startsWith('.')
      ? !relative(root, resolve(root, dirname(file), specifier)).startsWith(`${folder}/`)
      : specifier.startsWith('#');
  return importsIn(text)
    .filter(({ specifier }) => leaves(specifier))
    .map(({ specifier, line }) => ({ file, line, specifier, why: 'a package imports nothing of the product' }));
}

function importsIn(text: string) {
  return [...text.matchAll(importPattern)].map((match) => ({
    specifier: match[1] ?? match[2] ?? '',
    line: text.slice(0, match.index).split('\n').length + (match[0].startsWith('\n') ? 1 : 0),
    statement: match[0],
  }));
}

/** A route turns requests into calls of flows: only flows access the store and the services. */
const portPattern = /\b(?:app|context)\.store\.|\.(?:psa|accounting|psaFor|accountingFor)\(/g;

function portCalls(file: string, text: string): Crossing[] {
  return [...text.matchAll(portPattern)].map((match) => ({
    file,
    line: text.slice(0, match.index).split('\n').length,
    specifier: match[0],
    why: 'a route calls neither the store nor a service; call a flow',
  }));
}

/** Returns the files that a file imports, types included, by relative path or by the name of their area. */
const importsOf = (file: string, sources: ReadonlyMap<string, string>): readonly string[] =>
  [...(sources.get(file) ?? '').matchAll(importPattern)]
    .map((match) => match[1] ?? match[2] ?? '')
    .map((specifier) => (specifier.startsWith('#') ? `src/${specifier.slice(1)}` : join(dirname(file), specifier)))
    .filter((target) => sources.has(target));

/**
 * Finds an import cycle, types included.
 *
 * @param sources path relative to the root → source
 * @returns paths, the first one at both ends; empty when there is no cycle
 */
export function findCycle(sources: ReadonlyMap<string, string>): readonly string[] {
  const cleared = new Set<string>();
  const follow = (file: string, way: readonly string[]): readonly string[] => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (cleared.has(file)) return [];
    for (const next of importsOf(file, sources)) {
      const cycle = follow(next, [...way, file]);
      if (cycle.length > 0) return cycle;
    }
    cleared.add(file);
    return [];
  };
  for (const file of sources.keys()) {
    const cycle = follow(file, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '..');
  const packages = readdirSync(join(root, 'packages'));
  const files = [
    ...sourceFiles(join(root, 'src')),
    ...packages.flatMap((name) => sourceFiles(join(root, 'packages', name, 'src'))),
  ];
  const all = files.flatMap((path) => crossings(root, relative(root, path), readFileSync(path, 'utf8')));
  for (const { file, line, specifier, why } of all) console.error(`${file}:${line}  ${specifier}  ${why}`);
  const sources = new Map(files.map((path) => [relative(root, path), readFileSync(path, 'utf8')]));
  const cycle = findCycle(sources);
  if (cycle.length > 0) console.error(`import cycle: ${cycle.join(' > ')}`);
  if (all.length > 0 || cycle.length > 0) process.exitCode = 1;
  else console.log(`imports: ${files.length} files, no forbidden import, no cycle`);
}

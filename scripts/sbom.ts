/**
 * `npm run sbom`: writes the bill of materials of the runtime in CycloneDX 1.5 to `dist/sbom.cdx.json`. npm creates it
 * from the lock file without network access. Exits 1 when a runtime package is missing or has no hash.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

/** The members of a CycloneDX bill that are used here. */
export interface Bill {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: Pick<Component, 'bom-ref' | 'name' | 'version'> };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * Returns the bill of materials of all runtime packages, from the lock file. npm lists all packages, and the lock file
 * marks those that are only needed for builds: npm's `--omit dev` would also omit packages that both need. Throws npm's
 * error.
 */
export function billOfMaterials(): Bill {
  const output = execFileSync(
    'npm',
    ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const bill = JSON.parse(output) as Bill;
  const runs = runtimePackages();
  const { name, version } = readJson('package.json') as { name: string; version: string };
  const [all, own] = [bill.dependencies, bill.metadata.component['bom-ref']];
  const included = new Set([
    own,
    ...bill.components.filter((part) => runs.has(idOf(part))).map((part) => part['bom-ref']),
  ]);
  return {
    ...bill,
    // npm uses the name of the folder.
    metadata: { ...bill.metadata, component: { ...bill.metadata.component, name, version } },
    components: bill.components.filter((part) => included.has(part['bom-ref'])),
    dependencies: all
      .filter(({ ref }) => included.has(ref))
      .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => included.has(ref)) })),
  };
}

/** Returns runtime packages that are missing from a bill in their exact version, and packages without a SHA-512. */
export function gapsIn({ components }: Bill): readonly string[] {
  const parts = new Set(components.map(idOf));
  const missing = [...runtimePackages()].filter((part) => !parts.has(part)).map((part) => `${part} is missing`);
  const unhashed = components
    .filter(({ hashes = [] }) => !hashes.some(({ alg }) => alg === 'SHA-512'))
    .map(({ name }) => `${name} without a hash`);
  return [...missing, ...unhashed];
}

const idOf = ({ name, version }: Pick<Component, 'name' | 'version'>): string => `${name}@${version}`;

/** Returns names and versions of the runtime packages in the lock file. */
function runtimePackages(): ReadonlySet<string> {
  const { packages } = readJson('package-lock.json') as {
    packages: Readonly<Record<string, { readonly version: string; readonly dev?: boolean; readonly link?: boolean }>>;
  };
  // Packages of this repository are not in the runtime.
  const installed = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.startsWith('node_modules/') && dev !== true && link !== true,
  );
  return new Set(installed.map(([path, { version }]) => `${path.split('node_modules/').at(-1) ?? path}@${version}`));
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));

if (process.argv[1] === import.meta.filename) {
  const bill = billOfMaterials();
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(join(root, 'dist', 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
  const gaps = gapsIn(bill);
  for (const gap of gaps) console.error(`sbom: ${gap}`);
  console.log(`sbom: ${bill.components.length} packages, dist/sbom.cdx.json`);
  if (gaps.length > 0) process.exitCode = 1;
}

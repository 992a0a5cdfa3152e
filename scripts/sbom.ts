/**
 * `npm run sbom`: writes the bill of materials of what runs, in CycloneDX 1.5, to `dist/sbom.cdx.json`. Made from the lock
 * file by npm; asks no network. Ends with 1 when a part that runs is missing from it or stands there without its hash.
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

/** A bill as CycloneDX spells it, as far as it is looked at here. */
export interface Bill {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: Pick<Component, 'bom-ref' | 'name' | 'version'> };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * The bill of materials of everything that is installed to run, from the lock file. npm names all parts and the lock file
 * says which of them only build: npm's own `--omit dev` leaves out what both need. Throws what npm says.
 */
export function billOfMaterials(): Bill {
  const output = execFileSync(
    'npm',
    ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const bill = JSON.parse(output) as Bill;
  const runs = partsThatRun();
  const { name, version } = readJson('package.json') as { name: string; version: string };
  const [all, own] = [bill.dependencies, bill.metadata.component['bom-ref']];
  const kept = new Set([own, ...bill.components.filter((part) => runs.has(idOf(part))).map((part) => part['bom-ref'])]);
  return {
    ...bill,
    // npm calls it by the folder it lies in.
    metadata: { ...bill.metadata, component: { ...bill.metadata.component, name, version } },
    components: bill.components.filter((part) => kept.has(part['bom-ref'])),
    dependencies: all
      .filter(({ ref }) => kept.has(ref))
      .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => kept.has(ref)) })),
  };
}

/** Parts that run and are missing from a bill in their exact version, and parts without a SHA-512. */
export function gapsIn({ components }: Bill): readonly string[] {
  const parts = new Set(components.map(idOf));
  const missing = [...partsThatRun()].filter((part) => !parts.has(part)).map((part) => `${part} is missing`);
  const unhashed = components
    .filter(({ hashes = [] }) => !hashes.some(({ alg }) => alg === 'SHA-512'))
    .map(({ name }) => `${name} without a hash`);
  return [...missing, ...unhashed];
}

const idOf = ({ name, version }: Pick<Component, 'name' | 'version'>): string => `${name}@${version}`;

/** Names and versions of what the lock file installs to run. */
function partsThatRun(): ReadonlySet<string> {
  const { packages } = readJson('package-lock.json') as {
    packages: Readonly<Record<string, { readonly version: string; readonly dev?: boolean }>>;
  };
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  return new Set(installed.map(([path, { version }]) => `${path.split('node_modules/').at(-1) ?? path}@${version}`));
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));

if (process.argv[1] === import.meta.filename) {
  const bill = billOfMaterials();
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(join(root, 'dist', 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
  const gaps = gapsIn(bill);
  for (const gap of gaps) console.error(`sbom: ${gap}`);
  console.log(`sbom: ${bill.components.length} parts, dist/sbom.cdx.json`);
  if (gaps.length > 0) process.exitCode = 1;
}

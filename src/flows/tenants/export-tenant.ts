import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { inParallel } from '#core/in-parallel.ts';
import type { Actor } from '#core/records/audit.ts';
import type { ExportTable } from '#core/records/export.ts';
import type { TenantStore } from '#store/tenant-store.ts';
import { Refusal } from '#core/refusal.ts';
import type { App, TenantContext } from '../context.ts';
import { throttle } from '../access/throttle.ts';

/** Maximum exports of one client in 15 minutes; each one reads all data. */
const maxExports = 5;

const underWay = new Set<string>();

/** A file that is created while it is downloaded, so that its size does not matter. */
export interface Export {
  /** For example `tallybridge-northwind-it-services-2025-03-03.zip`. */
  readonly fileName: string;
  readonly content: Readable;
}

/**
 * Exports all data of a client, without secrets, as one ZIP: a file of JSON lines per table, and a README that explains
 * them. Called by the client's administrator, even while the subscription is suspended, and from the command line.
 *
 * @throws Refusal `busy` (409) while another export of the client runs in this process; `too_many_tries` (429).
 */
export async function exportTenant(
  app: App,
  { tenantId, store, clock, logger }: Pick<TenantContext, 'tenantId' | 'store' | 'clock' | 'logger'>,
  actor: Actor,
): Promise<Export> {
  if (underWay.has(tenantId))
    throw new Refusal('conflict', 'busy', 'An export is under way already. Please wait until it is done.');
  await throttle(app, [{ key: `export of ${tenantId}`, limit: maxExports }]);
  underWay.add(tenantId);
  const [{ name }, tables] = await inParallel([store.readTenant(), store.listExportTables()]);
  const now = clock.now();
  await store.addAudit({ at: now, actor, action: 'tenant.exported', subject: null, before: null, after: null });

  const zip = new ZipFile();
  const fail = (error: Error) => {
    logger.error({ err: error }, 'an export failed');
    content.destroy(error);
  };
  const content = Readable.from(zip.outputStream, { objectMode: false });
  content.once('close', () => underWay.delete(tenantId));
  zip.on('error', (error) => fail(error as Error));
  zip.addBuffer(Buffer.from(readmeOf(name, now, tables)), 'README.txt');
  for (const table of tables) {
    const lines = Readable.from(linesOf(store, table), { objectMode: false });
    lines.once('error', fail);
    zip.addReadStream(lines, `${table.name}.jsonl`);
  }
  zip.end();
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return { fileName: `tallybridge-${slug === '' ? 'client' : slug}-${now.slice(0, 10)}.zip`, content };
}

/** Reads rows only as fast as the file is downloaded. */
async function* linesOf(store: TenantStore, table: ExportTable): AsyncGenerator<string> {
  let last: readonly string[] | null = null;
  do {
    const page: Awaited<ReturnType<TenantStore['exportRows']>> = await store.exportRows(table, last);
    if (page.lines.length > 0) yield `${page.lines.join('\n')}\n`;
    ({ last } = page);
  } while (last !== null);
}

const readmeOf = (
  client: string,
  at: string,
  tables: readonly { readonly name: string; readonly about: string }[],
): string => `All data that Tallybridge stores for ${client}, as of ${at}.

Each file holds one table, one record per line, as JSON. Instants are UTC, amounts are exact decimals, ids of the PSA are
called psa_id and QuickBooks ids target_id. Passwords, tokens and keys are not in it.

${tables.map(({ name, about }) => `${`${name}.jsonl`.padEnd(28)}${about}`).join('\n')}
`;

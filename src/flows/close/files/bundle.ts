import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { contentText, type CloseState } from '#core/reconciliation/close.ts';
import { summaryPdf } from './summary.ts';
import { linesCsv, rowsCsv } from './tables.ts';
import { workbookOf, type FileFacts } from './workbook.ts';

/** A file to download. */
export interface Bundle {
  /** E.g. `close-2026-02.zip`. */
  readonly fileName: string;
  readonly content: Readable;
}

/** Returns all files of a proof as one ZIP. `manifest.json`, the last entry, lists each part with its SHA-256. */
export async function bundleOf(facts: FileFacts & { readonly state: CloseState }): Promise<Bundle> {
  const { close, decisions, signatures, state } = facts;
  const parts: (readonly [name: string, content: Buffer])[] = [
    ['summary.pdf', await summaryPdf(facts)],
    ['proof.xlsx', await workbookOf(facts)],
    ['rows.csv', joined(rowsCsv(close, decisions))],
    ['lines.csv', joined(linesCsv(close))],
    // Must be the exact text that the proof's hash covers.
    ['content.json', Buffer.from(contentText(close.proof))],
    ['setup.json', json(close.setup)],
    ...Object.entries(close.reports).map(([name, report]) => [`quickbooks/${name}.json`, json(report)] as const),
  ];
  const manifest = {
    month: close.month,
    state,
    proof: { id: close.id, sha256: close.sha256, prepared_at: close.preparedAt, prepared_by: close.preparedBy },
    signatures: signatures.map(({ as, by, at, reason }) => ({ as, by, at, reason })),
    files: parts.map(([name, content]) => ({ name, bytes: content.length, sha256: sha256(content) })),
  };
  const zip = new ZipFile();
  // The same proof always produces the same file.
  const options = { mtime: new Date(close.preparedAt) };
  for (const [name, content] of parts) zip.addBuffer(content, name, options);
  zip.addBuffer(json(manifest), 'manifest.json', options);
  zip.end();
  return {
    fileName: `close-${close.month}.zip`,
    content: Readable.from(zip.outputStream, { objectMode: false }),
  };
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const json = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
/** A byte order mark tells spreadsheets that the text is UTF-8. */
const joined = (rows: Generator<string>): Buffer => Buffer.from(`\uFEFF${[...rows].join('')}`);

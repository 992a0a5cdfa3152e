import type { Company } from './company.ts';
import { type Doc, shown } from './doc.ts';
import { kindOf } from './entities.ts';
import { fault, ServiceFault } from './faults.ts';
import { render } from './render.ts';
import { save } from './save.ts';

interface Part {
  readonly name: string;
  readonly fileName: string | undefined;
  readonly contentType: string;
  readonly content: Buffer;
}

const maxBytes = 104_857_600;

/** Splits a multipart body. Throws 6040 when it is invalid. */
function partsOf(contentType: string, body: Buffer): Part[] {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined) throw fault.uploadMetadata('The request is not multipart/form-data with a boundary.');
  const parts: Part[] = [];
  const delimiter = Buffer.from(`--${mark}`);
  let at = body.indexOf(delimiter);
  while (at >= 0) {
    const from = at + delimiter.length;
    const next = body.indexOf(delimiter, from);
    if (next < 0) break;
    const part = body.subarray(from + 2, next - 2);
    const split = part.indexOf('\r\n\r\n');
    if (split >= 0) {
      const head = part.subarray(0, split).toString('utf8');
      const disposition = /content-disposition:[^\r\n]*/i.exec(head)?.[0] ?? '';
      parts.push({
        name: /\bname="([^"]*)"/i.exec(disposition)?.[1] ?? '',
        fileName: /\bfilename="([^"]*)"/i.exec(disposition)?.[1],
        contentType: /content-type:\s*([^\r\n;]+)/i.exec(head)?.[1]?.trim() ?? 'application/octet-stream',
        content: part.subarray(split + 4),
      });
    }
    at = next;
  }
  return parts;
}

function metadataOf(part: Part | undefined, file: Part): Doc {
  const standard: Doc = { FileName: file.fileName ?? file.name, ContentType: file.contentType };
  if (part === undefined) return standard;
  let parsed: unknown;
  try {
    parsed = JSON.parse(part.content.toString('utf8'));
  } catch {
    throw fault.uploadMetadata(`${part.name} is not JSON.`);
  }
  // JSON.parse returns JSON; save() checks it against the schema.
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw fault.uploadMetadata(`${part.name} is not an object.`);
  return { ...standard, ...(parsed as Doc) };
}

/** The address under which a file can be fetched for 15 minutes, on the sandbox itself. */
export function temporaryUrl(baseUrl: string, company: Company, id: string, fileName: string): string {
  const expires = Math.floor(company.clock.now() / 1000) + 900;
  return `${baseUrl}/files/${company.realmId}/${id}/${encodeURIComponent(fileName)}?expires=${expires}`;
}

/** Returns an attachable as in responses: with its temporary links. */
export function withLinks(company: Company, doc: Doc, baseUrl: string): Doc {
  const id = shown(doc['Id']);
  if (!company.files.has(id)) return doc;
  return {
    ...doc,
    FileAccessUri: `/v3/company/${company.realmId}/download/${id}`,
    TempDownloadUri: temporaryUrl(baseUrl, company, id, shown(doc['FileName'])),
  };
}

/**
 * Handles an upload: numbered pairs of metadata and content. A fault of one file takes its position in the response,
 * with HTTP 200 (recorded).
 *
 * @returns the AttachableResponse member
 */
export function upload(company: Company, contentType: string, body: Buffer, baseUrl: string): Doc[] {
  if (body.length > maxBytes) throw fault.business('The upload is larger than 100 MB.');
  const parts = partsOf(contentType, body);
  const files = parts.filter(({ name }) => name.startsWith('file_content'));
  if (files.length === 0) throw fault.uploadMetadata('There is no part named file_content_01.');
  const kind = kindOf('Attachable');
  return files.map((file): Doc => {
    const metadata = parts.find(({ name }) => name === file.name.replace('content', 'metadata'));
    try {
      const entry = save(company, kind, metadataOf(metadata, file));
      company.files.set(entry.id, file.content);
      company.table(kind.name).replace(entry, { ...entry.body, Size: file.content.length });
      return { Attachable: withLinks(company, render(company, kind, entry), baseUrl) };
    } catch (error) {
      if (error instanceof ServiceFault) return { Fault: error.toJson() };
      throw error;
    }
  });
}

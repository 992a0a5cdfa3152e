/** Encodes Latin-1 text for a PDF string; other characters become question marks. */
function pdfText(text: string): string {
  const latin = text.replaceAll(/[^\u0020-\u00ff]/g, '?');
  return latin.replaceAll(/[\\()]/g, String.raw`\$&`);
}

const linesPerPage = 50;

/**
 * Creates a plain PDF of lines of text, so that clients get a file that opens.
 *
 * @param lines one entry per printed line
 */
export function pdfOf(lines: readonly string[]): Buffer {
  const pages: string[][] = [];
  for (let at = 0; at < Math.max(1, lines.length); at += linesPerPage) pages.push(lines.slice(at, at + linesPerPage));
  const objects: string[] = [];
  const pageIds = pages.map((_, at) => 4 + at * 2);
  objects.push('<< /Type /Catalog /Pages 2 0 R >>');
  objects.push(`<< /Type /Pages /Count ${pages.length} /Kids [${pageIds.map((id) => `${id} 0 R`).join(' ')}] >>`);
  objects.push('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  for (const [at, page] of pages.entries()) {
    const content = `BT /F1 10 Tf 50 760 Td 14 TL ${page.map((line) => `(${pdfText(line)}) Tj T*`).join(' ')} ET`;
    const contentId = (pageIds[at] ?? 4) + 1;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${contentId} 0 R >>`,
      `<< /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`,
    );
  }
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = Buffer.byteLength(text, 'latin1');
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = Buffer.byteLength(text, 'latin1');
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  for (const offset of offsets) text += `${String(offset).padStart(10, '0')} 00000 n \n`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

/** Renders an invoice as PDF, HTML and XML (autotask reference section 8.3), and for the sandbox's own page. */
import { html, type Html } from '../kit/html.ts';
import type { SandboxAnswer } from '../kit/definition.ts';
import { json } from './answers.ts';
import { noMatch } from './rules.ts';
import { entityType } from './schema.ts';
import type { Row, Tables, Value } from './table.ts';
import { visibleRow, type World } from './world.ts';

/** XML is escaped like HTML. */
const xml = html;

/** Formats a value for people. */
export function words(value: Value | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** An amount with two decimals and thousands separators. */
export function money(value: Value | undefined): string {
  return typeof value === 'number'
    ? value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
    : '';
}

/** Formats a unit price with at least two decimals, and more when needed. */
function price(value: Value | undefined): string {
  return typeof value === 'number'
    ? value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 })
    : '';
}

/** The calendar date of a date-time. */
export function day(value: Value | undefined): string {
  return typeof value === 'string' ? value.slice(0, 10) : '';
}

/** Returns a field of another entity's record, for display. */
export function lookUp(tables: Tables, entity: string, id: Value | undefined, field: string): string {
  return typeof id === 'number' ? words(tables.get(entity)?.get(id)?.[field]) : '';
}

/** Returns the items of an invoice in printing order. */
function itemsOf(tables: Tables, invoiceId: number): Row[] {
  const items = tables.get('BillingItems')?.where('invoiceID', invoiceId) ?? [];
  return items.sort((a, b) => Number(a.sortOrderID) - Number(b.sortOrderID) || a.id - b.id);
}

/** The invoice as HTML, without a page around it. */
export function renderInvoice(tables: Tables, invoice: Row): Html {
  const items = itemsOf(tables, invoice.id);
  const currency = lookUp(
    tables,
    'Currencies',
    tables.get('Companies')?.get(Number(invoice.companyID))?.currencyID,
    'name',
  );
  return html`<h2>${invoice.isVoided === true && 'VOID · '}Invoice ${words(invoice.invoiceNumber) || invoice.id}</h2>
    <dl>
      <dt>From</dt>
      <dd>${lookUp(tables, 'Companies', 0, 'companyName')}</dd>
      <dt>Bill to</dt>
      <dd>${lookUp(tables, 'Companies', invoice.companyID, 'companyName')}</dd>
      <dt>Date</dt>
      <dd>${day(invoice.invoiceDateTime)}</dd>
      <dt>Due</dt>
      <dd>${day(invoice.dueDate)} (${lookUp(tables, 'PaymentTerms', invoice.paymentTerm, 'name')})</dd>
      <dt>Order</dt>
      <dd>${words(invoice.orderNumber)}</dd>
      <dt>Exported</dt>
      <dd>${words(invoice.webServiceDate) || 'not yet'}</dd>
      <dt>Paid</dt>
      <dd>${day(invoice.paidDate) || 'no'}</dd>
    </dl>
    <table>
      <thead>
        <tr>
          <th>Date</th>
          <th>Item</th>
          <th class="n">Quantity</th>
          <th class="n">Rate</th>
          <th class="n">Amount</th>
          <th class="n">Tax</th>
        </tr>
      </thead>
      <tbody>
        ${items.map(
          (item) =>
            html`<tr>
              <td>${day(item.itemDate)}</td>
              <td class="text">${words(item.lineItemFullDescription) || words(item.itemName)}</td>
              <td class="n">${words(item.quantity)}</td>
              <td class="n">${price(item.rate)}</td>
              <td class="n">${money(item.totalAmount)}</td>
              <td class="n">${money(item.taxDollars)}</td>
            </tr>`,
        )}
        <tr>
          <td colspan="5" class="n">Tax, ${words(invoice.taxRegionName)}</td>
          <td class="n">${money(invoice.totalTaxValue)}</td>
        </tr>
        <tr class="total">
          <td colspan="5" class="n">Total ${currency}</td>
          <td class="n">${money(invoice.invoiceTotal)}</td>
        </tr>
      </tbody>
    </table>
    <p class="soft">${words(invoice.comments)}</p>`;
}

/** Creates a minimal PDF with lines of text: one page per sixty lines, in a built-in font. */
function textPdf(lines: readonly string[]): Buffer {
  const pages: string[][] = [];
  for (let from = 0; from < Math.max(lines.length, 1); from += 60) pages.push(lines.slice(from, from + 60));
  // Replaces characters outside the font's range and escapes special characters of PDF strings.
  const escape = (text: string): string =>
    text.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/[\\()]/g, (mark) => `\\${mark}`);
  const pageNumbers = pages.map((_, index) => 4 + index * 2);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pageNumbers.map((number) => `${number} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>',
    ...pages.flatMap((page, index) => {
      const content = `BT /F1 9 Tf 12 TL 40 800 Td ${page.map((line) => `(${escape(line)}) Tj T*`).join(' ')} ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

function invoiceOf(world: World, id: number): Row {
  const type = entityType('Invoices');
  const invoice = visibleRow(world, type, id);
  if (invoice === undefined) throw noMatch(type);
  return invoice;
}

/** `GET /Invoices/{id}/InvoicePdf`: a file object with the document in base64. Throws Refused. */
export function invoicePdf(world: World, id: number): SandboxAnswer {
  const { tables } = world;
  const invoice = invoiceOf(world, id);
  const pdf = textPdf([
    `Invoice ${words(invoice.invoiceNumber) || id}`,
    lookUp(tables, 'Companies', invoice.companyID, 'companyName'),
    `Date ${day(invoice.invoiceDateTime)}   Due ${day(invoice.dueDate)}`,
    '',
    ...itemsOf(tables, id).map(
      (item) =>
        `${words(item.itemName).slice(0, 50).padEnd(52)}${words(item.quantity).padStart(8)}${money(item.totalAmount).padStart(14)}`,
    ),
    '',
    `Tax ${money(invoice.totalTaxValue)}   Total ${money(invoice.invoiceTotal)}`,
  ]);
  const file = {
    id,
    contentType: 'application/pdf',
    fileName: `Invoice_${id}.pdf`,
    fileSize: pdf.length,
    data: pdf.toString('base64'),
  };
  return json(world.behaviour.get('invoice_pdf_wrapped') ? { item: file } : file);
}

/** `GET /Invoices/{id}/InvoiceMarkupHtml`. Throws Refused. */
export function invoiceMarkupHtml(world: World, id: number): SandboxAnswer {
  return json({ invoiceMarkup: renderInvoice(world.tables, invoiceOf(world, id)).text });
}

/** `GET /Invoices/{id}/InvoiceMarkupXml`. Throws Refused. */
export function invoiceMarkupXml(world: World, id: number): SandboxAnswer {
  const invoice = invoiceOf(world, id);
  const items = itemsOf(world.tables, id).map(
    (item) =>
      xml`<item><name>${words(item.itemName)}</name><quantity>${words(item.quantity)}</quantity><amount>${words(item.totalAmount)}</amount></item>`,
  );
  const text = xml`<invoice><id>${id}</id><number>${words(invoice.invoiceNumber)}</number><total>${words(invoice.invoiceTotal)}</total><items>${items}</items></invoice>`;
  return json({ invoiceMarkup: `<?xml version="1.0" encoding="utf-8"?>${text.text}` });
}

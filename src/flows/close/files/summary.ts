import Pdf from 'pdfkit';
import { exceptionsOf, kindLabels, totalsOf, type CloseState } from '#core/reconciliation/close.ts';
import { differenceClasses } from '#core/reconciliation/difference-classes.ts';
import { openPointsOf } from '#core/reconciliation/undecided.ts';
import { holds } from '#core/reconciliation/tie-out.ts';
import { momentText } from '#core/values/dates.ts';
import { format, isZero, round2, sum } from '#core/values/decimal.ts';
import type { FileFacts } from './workbook.ts';

const ink = '#0F172A';
const grey = '#64748B';
const rule = '#CBD5E1';
const green = '#15803D';
const red = '#B91C1C';
const left = 48;
const right = 547;
const monthNames = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const stateLabels = {
  open: 'Open',
  ready: 'Ready to sign',
  signed: 'Signed',
  changed: 'Changed since it was signed',
} as const satisfies Record<CloseState, string>;

/** Returns the one-page summary of a proof: its numbers, what matches and what does not, and who signed. */
export function summaryPdf(facts: FileFacts & { readonly state: CloseState }): Promise<Buffer> {
  const { close, state } = facts;
  const pdf = new Pdf({
    size: 'A4',
    margin: left,
    info: {
      Title: `Month-end proof ${close.month}`,
      Producer: 'Tallybridge',
      CreationDate: new Date(close.preparedAt),
    },
  });
  const chunks: Buffer[] = [];
  const done = new Promise<Buffer>((resolve, reject) => {
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.on('end', () => resolve(Buffer.concat(chunks)));
    pdf.on('error', reject);
  });
  const page = new Page(pdf);
  page.title(`Month-end proof, ${monthNames.format(new Date(`${close.month}-01T00:00:00Z`))}`, close.setup.company);
  page.caption(
    `${close.setup.psaLabel} against QuickBooks Online · ${stateLabels[state]} · prepared ${momentText(close.preparedAt, facts.timeZone)} by ${close.preparedBy}`,
  );
  page.heading('Sales documents');
  page.columns(['Currency', close.setup.psaLabel, 'QuickBooks', 'Difference', 'Explained', 'Unexplained'], true);
  for (const total of totalsOf(close.proof))
    page.columns(
      [
        total.currency,
        money(total.psaTotal),
        money(total.accountingTotal),
        money(total.difference),
        money(total.explained),
        money(total.unexplained),
      ],
      false,
      isZero(total.unexplained) ? green : red,
    );
  page.heading('Subledgers and ledger');
  for (const tieOut of close.proof.tieOuts.filter(({ mustBeZero }) => mustBeZero))
    page.line(
      tieOut.label,
      `${money(tieOut.left)}  ·  ${money(tieOut.right)}`,
      holds(tieOut) ? 'agrees' : money(tieOut.difference),
      holds(tieOut),
    );
  const classes = Map.groupBy(
    exceptionsOf(close.proof),
    (exception) => `${exception.kind} ${exception.class} ${exception.currency}`,
  );
  page.heading(classes.size === 0 ? 'No differences' : 'Differences by class');
  const shown = [...classes.values()].slice(0, maxClasses);
  for (const own of shown) {
    const [first] = own;
    if (first === undefined) continue;
    const label = first.class === 'unexplained' ? 'Unexplained' : differenceClasses[first.class].label;
    page.line(
      `${kindLabels[first.kind]}: ${label}`,
      `${own.length} × ${first.currency}`,
      money(sum(own.map(({ amount }) => amount))),
    );
  }
  if (classes.size > shown.length) page.caption(`and ${classes.size - shown.length} more classes in proof.xlsx`);
  const openPoints = openPointsOf(close.proof, facts.decisions.values());
  page.heading('Result');
  page.text(
    openPoints.length === 0
      ? 'Every difference is decided, and every tie-out is at 0.00.'
      : `Open points: ${openPoints.map(({ label, currency, amount }) => `${label} (${currency} ${money(amount)})`).join(', ')}.`,
    openPoints.length === 0 ? green : red,
  );
  page.signatures(facts.signatures, facts.timeZone);
  page.footer(`Content SHA-256 ${close.sha256} · Tallybridge ${close.setup.version}`);
  pdf.end();
  return done;
}

const maxClasses = 12;
const money = (amount: Parameters<typeof format>[0]): string => format(round2(amount));

/** A page that is written from top to bottom. */
class Page {
  readonly #pdf: PDFKit.PDFDocument;
  constructor(pdf: PDFKit.PDFDocument) {
    this.#pdf = pdf;
  }

  title(text: string, company: string): void {
    this.#pdf.fillColor(grey).font('Helvetica').fontSize(10).text(printable(company), left, left);
    this.#pdf.moveDown(0.4).fillColor(ink).font('Helvetica-Bold').fontSize(19).text(printable(text));
  }

  caption(text: string): void {
    this.#pdf.moveDown(0.2).fillColor(grey).font('Helvetica').fontSize(8.5).text(printable(text), left);
  }

  heading(text: string): void {
    const pdf = this.#pdf;
    pdf.moveDown(1).fillColor(ink).font('Helvetica-Bold').fontSize(11).text(printable(text), left);
    const y = pdf.y + 2;
    pdf.moveTo(left, y).lineTo(right, y).lineWidth(0.6).strokeColor(rule).stroke();
    pdf.y = y + 5;
  }

  /** Writes six columns: the first left-aligned, the others right-aligned. */
  columns(cells: readonly string[], isHead: boolean, lastColour = ink): void {
    const pdf = this.#pdf;
    const y = pdf.y;
    const width = (right - left - 60) / 5;
    pdf.font(isHead ? 'Helvetica' : 'Helvetica-Bold').fontSize(isHead ? 8.5 : 10);
    for (const [index, cell] of cells.entries()) {
      const isLast = index === cells.length - 1;
      pdf.fillColor(isHead ? grey : isLast ? lastColour : ink);
      const x = index === 0 ? left : left + 60 + (index - 1) * width;
      pdf.text(printable(cell), x, y, {
        width: index === 0 ? 60 : width,
        align: index === 0 ? 'left' : 'right',
        lineBreak: false,
      });
    }
    pdf.y = y + 15;
  }

  /** Writes a label, a text in the middle, and an amount at the end. */
  line(label: string, middle: string, amount: string, isGood?: boolean): void {
    const pdf = this.#pdf;
    const y = pdf.y;
    pdf.font('Helvetica').fontSize(9.5).fillColor(ink);
    pdf.text(printable(label), left, y, { width: 330, height: 12, ellipsis: true });
    pdf.fillColor(grey).text(printable(middle), left + 250, y, { width: 160, align: 'right', lineBreak: false });
    pdf.fillColor(isGood === undefined ? ink : isGood ? green : red);
    pdf.text(printable(amount), left + 410, y, { width: right - left - 410, align: 'right', lineBreak: false });
    pdf.y = y + 14;
  }

  text(text: string, colour: string): void {
    this.#pdf
      .fillColor(colour)
      .font('Helvetica')
      .fontSize(10)
      .text(printable(text), left, this.#pdf.y, {
        width: right - left,
        height: 40,
        ellipsis: true,
      });
  }

  /** Writes two signature lines, filled in if the proof is signed here. */
  signatures(given: FileFacts['signatures'], timeZone: string): void {
    const pdf = this.#pdf;
    const y = 716;
    for (const [index, as] of (['preparer', 'reviewer'] as const).entries()) {
      const x = left + index * 260;
      const signature = given.find((one) => one.as === as);
      pdf
        .moveTo(x, y)
        .lineTo(x + 238, y)
        .lineWidth(0.8)
        .strokeColor(ink)
        .stroke();
      if (signature !== undefined)
        pdf
          .fillColor(ink)
          .font('Helvetica-Bold')
          .fontSize(9.5)
          .text(printable(signature.by), x, y - 15, { width: 238, lineBreak: false });
      const at = signature === undefined ? 'date and signature' : momentText(signature.at, timeZone);
      pdf
        .fillColor(grey)
        .font('Helvetica')
        .fontSize(8.5)
        .text(`${as === 'preparer' ? 'Prepared by' : 'Reviewed by'}, ${at}`, x, y + 4, {
          width: 238,
          lineBreak: false,
        });
      if (signature !== undefined && signature.reason !== null)
        pdf.text(printable(`Reason: ${signature.reason}`), x, y + 16, { width: 238, height: 22, ellipsis: true });
    }
  }

  footer(text: string): void {
    this.#pdf
      .fillColor(grey)
      .font('Helvetica')
      .fontSize(7)
      .text(printable(text), left, 776, { width: right - left, height: 10, lineBreak: false });
  }
}

/** The standard PDF fonts contain only Western European letters. Others are shown as a question mark. */
const printable = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll('→', '->')
    .replaceAll(/[^\u0020-\u00FF\u2013\u2014\u2018\u2019\u201C\u201D\u2022\u20AC]/g, '?');

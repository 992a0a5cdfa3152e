import { html, type Html } from '../kit/html.ts';
import type { Company } from './company.ts';
import { type Doc, docAt, listAt, shown, textAt } from './doc.ts';
import type { EntityKind } from './entities.ts';
import { render } from './render.ts';
import type { Entry } from './table.ts';

/** A document as a person sees it. Amounts are texts with two decimals. */
interface RenderedDocument {
  readonly title: string;
  readonly number: string;
  readonly party: string;
  readonly address: readonly string[];
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly lines: readonly {
    readonly what: string;
    readonly text: string;
    readonly quantity: string;
    readonly price: string;
    readonly amount: string;
    readonly tax: string;
  }[];
  readonly totals: readonly (readonly [label: string, value: string])[];
  readonly memo: string;
  readonly note: string;
}

const money = (value: unknown) =>
  typeof value === 'number'
    ? value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
    : '';

const plain = (value: unknown) =>
  typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 5 }) : '';

/** Formats a unit price with at least two decimals, and more when needed. */
const unitPrice = (value: unknown) =>
  typeof value === 'number'
    ? value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 7 })
    : '';

function addressLines(address: Doc): string[] {
  const lines = ['Line1', 'Line2', 'Line3', 'Line4', 'Line5'].flatMap((member) => textAt(address, member) ?? []);
  const city = [textAt(address, 'City'), textAt(address, 'CountrySubDivisionCode'), textAt(address, 'PostalCode')];
  const place = city.filter((part) => part !== undefined).join(' ');
  return place === '' ? lines : [...lines, place];
}

function lineOf(line: Doc): RenderedDocument['lines'][number] {
  const type = textAt(line, 'DetailType') ?? '';
  const detail = docAt(line, type);
  const name =
    textAt(docAt(detail, 'ItemRef'), 'name') ??
    textAt(docAt(detail, 'AccountRef'), 'name') ??
    textAt(docAt(detail, 'GroupItemRef'), 'name');
  const [link] = listAt(line, 'LinkedTxn');
  const linked = link === undefined ? '' : `${textAt(link, 'TxnType') ?? ''} ${textAt(link, 'TxnId') ?? ''}`;
  const label =
    type === 'SubTotalLineDetail' ? 'Subtotal' : type === 'DiscountLineDetail' ? 'Discount' : (name ?? linked);
  return {
    what: label,
    text: textAt(line, 'Description') ?? '',
    quantity: plain(detail['Qty']),
    price: unitPrice(detail['UnitPrice']),
    amount: money(line['Amount']),
    tax: textAt(docAt(detail, 'TaxCodeRef'), 'value') === 'TAX' ? 'T' : '',
  };
}

function renderedDocument(company: Company, kind: EntityKind, entry: Entry): RenderedDocument {
  const doc = render(company, kind, entry);
  const party = docAt(doc, 'CustomerRef')['name'] ?? docAt(doc, 'VendorRef')['name'];
  const currency = textAt(docAt(doc, 'CurrencyRef'), 'value') ?? '';
  const isSales = doc['CustomerRef'] !== undefined;
  const fact = (label: string, value: string | undefined) =>
    value === undefined || value === '' ? [] : [[label, value] as const];
  const lines = listAt(doc, 'Line');
  return {
    title: kind.label,
    number: textAt(doc, 'DocNumber') ?? textAt(doc, 'PaymentRefNum') ?? '',
    party: party === undefined ? '' : shown(party),
    address: addressLines(docAt(doc, isSales ? 'BillAddr' : 'VendorAddr')),
    facts: [
      ...fact('Date', textAt(doc, 'TxnDate')),
      ...fact('Terms', textAt(docAt(doc, 'SalesTermRef'), 'name')),
      ...fact('Due date', textAt(doc, 'DueDate')),
      ...fact('Status', textAt(doc, 'POStatus')),
      ...fact('Currency', currency === company.preferences.homeCurrency ? undefined : currency),
      ...listAt(doc, 'CustomField').flatMap((field) => fact(textAt(field, 'Name') ?? '', textAt(field, 'StringValue'))),
      ...fact('Email', textAt(docAt(doc, 'BillEmail'), 'Address') ?? textAt(docAt(doc, 'POEmail'), 'Address')),
      ...fact('Email status', doc['EmailStatus'] === 'NotSet' ? undefined : textAt(doc, 'EmailStatus')),
      ...fact('Deposit to', textAt(docAt(doc, 'DepositToAccountRef'), 'name')),
    ],
    lines: lines.filter((line) => textAt(line, 'DetailType') !== 'SubTotalLineDetail').map(lineOf),
    totals: [
      ...lines
        .filter((line) => textAt(line, 'DetailType') === 'SubTotalLineDetail')
        .map((line) => ['Subtotal', money(line['Amount'])] as const),
      ...(doc['TxnTaxDetail'] === undefined
        ? []
        : [['Tax', money(docAt(doc, 'TxnTaxDetail')['TotalTax'] ?? 0)] as const]),
      ...(doc['TotalAmt'] === undefined ? [] : [[`Total ${currency}`, money(doc['TotalAmt'])] as const]),
      ...(doc['Balance'] === undefined
        ? []
        : [
            [doc['RemainingCredit'] === undefined ? 'Balance due' : 'Remaining credit', money(doc['Balance'])] as const,
          ]),
      ...(doc['UnappliedAmt'] === undefined ? [] : [['Unapplied', money(doc['UnappliedAmt'])] as const]),
    ],
    memo: textAt(docAt(doc, 'CustomerMemo'), 'value') ?? textAt(doc, 'Memo') ?? '',
    note: textAt(doc, 'PrivateNote') ?? '',
  };
}

/** Renders a document as lines of text, for its PDF. */
export function documentText(company: Company, kind: EntityKind, entry: Entry): string[] {
  const rendered = renderedDocument(company, kind, entry);
  return [
    company.name,
    '',
    `${rendered.title} ${rendered.number}`,
    rendered.party,
    ...rendered.address,
    '',
    ...rendered.facts.map(([label, value]) => `${label}: ${value}`),
    '',
    ...rendered.lines.map((line) =>
      [line.what, line.text, line.quantity, line.price, line.amount].filter((part) => part !== '').join('   '),
    ),
    '',
    ...rendered.totals.map(([label, value]) => `${label}: ${value}`),
    '',
    ...rendered.memo.split('\n'),
  ];
}

/** Renders a document as a person sees it in QuickBooks; undefined for other records. */
export function documentHtml(company: Company, kind: EntityKind, entry: Entry): Html | undefined {
  if (kind.kind !== 'transaction' || kind.name === 'TimeActivity') return undefined;
  const rendered = renderedDocument(company, kind, entry);
  const isVoided = rendered.note.startsWith('Voided');
  return html`<div class="title">
      <strong>${rendered.title} ${rendered.number} ${isVoided && html`<span class="bad">Voided</span>`}</strong>
      <span class="soft">${company.name}</span>
    </div>
    <p>${rendered.party}${rendered.address.map((line) => html`<br />${line}`)}</p>
    <dl>
      ${rendered.facts.map(
        ([label, value]) =>
          html`<dt>${label}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th>Product, service or account</th>
            <th>Description</th>
            <th class="n">Qty</th>
            <th class="n">Rate</th>
            <th class="n">Amount</th>
            <th>Tax</th>
          </tr>
        </thead>
        <tbody>
          ${rendered.lines.map(
            (line) =>
              html`<tr>
                <td>${line.what}</td>
                <td class="text">${line.text}</td>
                <td class="n">${line.quantity}</td>
                <td class="n">${line.price}</td>
                <td class="n">${line.amount}</td>
                <td>${line.tax}</td>
              </tr>`,
          )}
          ${rendered.totals.map(
            ([label, value]) =>
              html`<tr class="total">
                <td colspan="4" class="n">${label}</td>
                <td class="n">${value}</td>
                <td></td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <dl>
      ${
        rendered.memo !== '' &&
        html`<dt>Message</dt>
          <dd>${rendered.memo}</dd>`
      }
      ${
        rendered.note !== '' &&
        html`<dt>Memo (internal)</dt>
          <dd>${rendered.note}</dd>`
      }
    </dl>`;
}

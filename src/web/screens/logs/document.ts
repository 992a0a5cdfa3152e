import { decimal, isDecimal, sum } from '#core/values/decimal.ts';
import { asRecord, asText } from '../../data/json.ts';

export interface DocumentLine {
  readonly key: string;
  readonly number: string | null;
  readonly description: string;
  /** Decimal text, like all amounts here. */
  readonly quantity: string | null;
  readonly unitPrice: string | null;
  readonly amount: string | null;
  /** Null if unknown. */
  readonly isTaxable: boolean | null;
  readonly billable: string | null;
  readonly customer: string | null;
}

export interface QuickBooksDocument {
  readonly id: string | null;
  readonly number: string | null;
  readonly customer: string | null;
  readonly vendor: { readonly id: string | null; readonly name: string | null } | null;
  /** Lines of the shipping address; empty if there is none. */
  readonly shipTo: readonly string[];
  readonly customFields: readonly { readonly name: string; readonly value: string }[];
  readonly emailStatus: string | null;
  readonly currency: string | null;
  readonly lines: readonly DocumentLine[];
  /** Sum of the lines before tax. */
  readonly subtotal: string;
  readonly totalTax: string | null;
  readonly total: string | null;
  readonly comments: string | null;
}

const detailTypes = ['SalesItemLineDetail', 'ItemBasedExpenseLineDetail', 'AccountBasedExpenseLineDetail'] as const;

/**
 * Reads the parts of a QuickBooks document for the formatted view.
 *
 * @param customers customer name of each line or null, for planned documents, which contain only ids
 */
export function readDocument(
  document: Readonly<Record<string, unknown>>,
  customers: readonly (string | null)[] = [],
): QuickBooksDocument {
  const vendor = asRecord(document['VendorRef']);
  const customFields = asList(document['CustomField']).flatMap((one) => {
    const field = asRecord(one);
    const value = asText(field?.['StringValue']);
    return value === null
      ? []
      : [{ name: asText(field?.['Name']) ?? `Custom field ${asText(field?.['DefinitionId']) ?? ''}`, value }];
  });
  const read = asList(document['Line']).flatMap((line, index) => readLine(asRecord(line), index));
  const lines =
    customers.length === read.length
      ? read.map((line, index) => ({ ...line, customer: line.customer ?? customers[index] ?? null }))
      : read;
  return {
    id: asText(document['Id']),
    number: asText(document['DocNumber']),
    customer: asText(asRecord(document['CustomerRef'])?.['name']),
    vendor: vendor === null ? null : { id: asText(vendor['value']), name: asText(vendor['name']) },
    shipTo: addressLines(asRecord(document['ShipAddr'])),
    customFields,
    emailStatus: emailLabel(asText(document['EmailStatus'])),
    currency: asText(asRecord(document['CurrencyRef'])?.['value']),
    lines,
    subtotal: sum(lines.flatMap(({ amount }) => (amount !== null && isDecimal(amount) ? [decimal(amount)] : []))),
    totalTax: asText(asRecord(document['TxnTaxDetail'])?.['TotalTax']),
    total: asText(document['TotalAmt']),
    comments: asText(asRecord(document['CustomerMemo'])?.['value']),
  };
}

function readLine(line: Readonly<Record<string, unknown>> | null, index: number): DocumentLine[] {
  // QuickBooks adds subtotal lines to its responses.
  const type = detailTypes.find((name) => name === line?.['DetailType']);
  if (line === null || type === undefined) return [];
  const detail = asRecord(line[type]);
  const taxCode = asText(asRecord(detail?.['TaxCodeRef'])?.['value']);
  const isByAccount = type === 'AccountBasedExpenseLineDetail';
  const amount = asText(line['Amount']);
  return [
    {
      key: `${asText(line['Id']) ?? ''}/${index}`,
      number: asText(line['LineNum']) ?? asText(line['Id']) ?? String(index + 1),
      description: asText(line['Description']) ?? '',
      quantity: isByAccount ? '1' : asText(detail?.['Qty']),
      unitPrice: isByAccount ? amount : asText(detail?.['UnitPrice']),
      amount,
      isTaxable: taxCode === null ? null : taxCode !== 'NON',
      billable: billableLabel(asText(detail?.['BillableStatus'])),
      customer: asText(asRecord(detail?.['CustomerRef'])?.['name']),
    },
  ];
}

const emailLabels: ReadonlyMap<string, string> = new Map([
  ['NotSet', 'Not sent'],
  ['NeedToSend', 'To be sent'],
  ['EmailSent', 'Sent'],
]);

/** Returns QuickBooks' email status in words; null if the document has none. */
const emailLabel = (status: string | null): string | null =>
  status === null || status === '' ? null : (emailLabels.get(status) ?? status);

const billableLabel = (status: string | null): string | null =>
  status === null
    ? null
    : status === 'NotBillable'
      ? 'not billable'
      : status === 'HasBeenBilled'
        ? 'billed'
        : 'billable';

function addressLines(address: Readonly<Record<string, unknown>> | null): string[] {
  if (address === null) return [];
  const [line1, line2, city, region, postcode] = ['Line1', 'Line2', 'City', 'CountrySubDivisionCode', 'PostalCode'].map(
    (name) => asText(address[name]) ?? '',
  );
  const place = [city, [region, postcode].filter((part) => part !== '').join(' ')]
    .filter((part) => part !== '')
    .join(', ');
  return [line1 ?? '', line2 ?? '', place].filter((line) => line !== '');
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

import type { InvoiceHead } from '../documents/invoice.ts';
import type { AccountingPreferences } from '../documents/reference-data.ts';
import { problem, type Problem } from '../problems.ts';
import { note, type Note } from '../transcript.ts';
import { withoutSentinel } from '../sync-status.ts';
import { truncate, textOrNull } from '../values/text.ts';
import type { SalesDocument } from './plan.ts';
import type { MappingIndex } from './reference-index.ts';

/** Longest value of a custom field in QuickBooks (domain reference 2.2). */
const maxValueLength = 31;

/** Invoice fields that a custom field can carry; the source values of the `SalesCustomField` namespace. */
export const customFieldSources = ['InvoiceNumber', 'OrderNumber'] as const;

/** Fills the mapped custom fields of a sales form (domain reference 5.10). */
export function chooseCustomFields(
  invoice: Pick<InvoiceHead, 'number' | 'orderNumber'>,
  usesPsaNumber: boolean,
  preferences: Pick<AccountingPreferences, 'customFields'>,
  mappings: MappingIndex,
): {
  readonly fields: SalesDocument['customFields'];
  readonly warnings: readonly Problem[];
  readonly notes: readonly Note[];
} {
  const fields: { definitionId: string; name: string; value: string }[] = [];
  const warnings: Problem[] = [];
  const notes: Note[] = [];
  for (const source of customFieldSources) {
    const mapping = mappings.SalesCustomField?.get(source);
    if (mapping === undefined) continue;
    // QuickBooks has not assigned the number yet. A number already on the invoice would belong to another document.
    if (source === 'InvoiceNumber' && !usesPsaNumber) {
      notes.push(note('info', 'Custom field for the invoice number left out: QuickBooks makes the number'));
      continue;
    }
    const value = textOrNull(source === 'InvoiceNumber' ? withoutSentinel(invoice.number) : invoice.orderNumber);
    const definition = preferences.customFields.find(({ definitionId }) => definitionId === mapping.targetValue);
    if (value === null || fields.some(({ definitionId }) => definitionId === mapping.targetValue)) continue;
    if (definition === undefined) {
      const name = mapping.targetLabel ?? mapping.targetValue;
      notes.push(note('warn', `Custom field "${name}" left out: QuickBooks no longer has it`));
      continue;
    }
    const short = truncate(value, maxValueLength);
    if (short !== value) warnings.push(problem('CUSTOM_FIELD_CUT', { name: definition.name, value: short }));
    fields.push({ ...definition, value: short });
  }
  return { fields, warnings, notes };
}

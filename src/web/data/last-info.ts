import type { SubmittableKind } from '#core/kinds.ts';
import { asRecord, asText } from './json.ts';

/** The parts of a stored last-info text about the last document; each is null if the text does not include it. */
export interface LastInfo {
  /** Id in the PSA. */
  readonly psaId: string | null;
  /** Number in QuickBooks, or the id if it has no number. */
  readonly target: string | null;
  /** Number of documents of the run; default 1. */
  readonly count: number;
}

const fields = {
  invoice: { psa: 'at_invoice_id', targets: ['qbo_invoice_number'] },
  purchase_order: { psa: 'at_po_id', targets: ['qbo_po_number', 'qbo_po_id'] },
  expense_report: { psa: 'at_expense_report_id', targets: ['qbo_bill_id'] },
} as const satisfies Record<SubmittableKind, { psa: string; targets: readonly string[] }>;

/**
 * Parses a `last_*_info` text (screens reference 1.3).
 *
 * @param report called with the reason if a text cannot be parsed; such a text counts as empty.
 * @returns null if the text is empty, invalid or has no known parts.
 */
export function readLastInfo(
  kind: SubmittableKind,
  text: string | null,
  report: (problem: string) => void,
): LastInfo | null {
  if (text === null || text.trim() === '') return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    report(`The last-sync information of ${kind} is not JSON: ${text.slice(0, 200)}`);
    return null;
  }
  const info = asRecord(parsed);
  if (info === null) {
    report(`The last-sync information of ${kind} is not an object: ${text.slice(0, 200)}`);
    return null;
  }
  const { psa, targets } = fields[kind];
  const psaId = asText(info[psa]);
  const target = targets.map((name) => asText(info[name])).find((label) => label !== null) ?? null;
  const count = typeof info['count'] === 'number' && Number.isInteger(info['count']) ? Math.max(1, info['count']) : 1;
  return psaId === null && target === null ? null : { psaId, target, count };
}

import { problem } from '../problems.ts';
import { ofDocument, type ProblemDocument } from '../problems.ts';
import { documentCommand, type Plan } from './plan.ts';

/** Limits at which texts of documents are cut with an ellipsis (quickbooks reference 5.1 to 5.4). */
const limits = { customerMessage: 1_000, other: 4_000 } as const;

/** Adds a warning to a plan that lists the texts that were cut to fit QuickBooks. */
export function withCutTexts(plan: Plan, about: ProblemDocument): Plan {
  const texts = cutTexts(plan);
  if (texts.length === 0) return plan;
  const found = problem('TEXT_CUT', { list: texts.join(', ') });
  return { ...plan, warnings: [...plan.warnings, ...ofDocument([found], about)] };
}

/** Returns the texts of a plan that were cut, e.g. `line 3 (4,000 characters)`. */
function cutTexts(plan: Plan): readonly string[] {
  const last = documentCommand(plan);
  const named = (name: string, text: string | null, limit: number): string[] =>
    isCut(text, limit) ? [`${name} (${limit.toLocaleString('en-US')} characters)`] : [];
  const linesOf = (lines: readonly { readonly description: string }[], of = '') =>
    lines.flatMap(({ description }, index) => named(`line ${index + 1}${of}`, description, limits.other));
  switch (last.do) {
    case 'create_invoice':
    case 'create_credit_memo': {
      const { customerMessage, privateNote, lines } = last.document;
      return [
        ...named('message to the customer', customerMessage, limits.customerMessage),
        ...named('private note', privateNote, limits.other),
        ...linesOf(lines),
      ];
    }
    case 'create_purchase_order':
      return [
        ...named('message to the vendor', last.order.messageToVendor, limits.other),
        ...named('private note', last.order.privateNote, limits.other),
        ...linesOf(last.order.lines),
      ];
    case 'create_bill': {
      const earlier = plan.commands.flatMap((one) => (one.do === 'create_bill' && one !== last ? [one.bill] : []));
      return [...earlier, last.bill].flatMap(({ lines, number }) =>
        linesOf(lines, earlier.length === 0 ? '' : ` of bill ${number ?? ''}`),
      );
    }
    default:
      return [];
  }
}

/** A text is cut before a letter that needs two characters, and a remark may follow the ellipsis. */
const isCut = (text: string | null, limit: number): boolean =>
  text !== null && text.length >= limit - 1 && text.slice(-maxRemarkLength).includes('…');

/** Longest remark that follows a cut text, such as “(covered by contract)”. */
const maxRemarkLength = 40;

import { problem } from '../problems.ts';
import { ofDocument, type ProblemDocument } from '../problems.ts';
import { maxNameLength } from '../values/text.ts';
import { type Command, documentCommand, maxReferenceLength, type Plan } from './plan.ts';

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
const cutTexts = (plan: Plan): readonly string[] => [...plan.commands.flatMap(cutNames), ...cutInDocument(plan)];

/** A name is cut at a letter or a space. */
const isFull = (text: string, limit: number): boolean => text.length >= limit - 1;

/** Returns the names and references that were cut. A new item has a separate warning. */
function cutNames(command: Command): readonly string[] {
  const named = (what: string, limit: number) => [`${what} (${limit} characters)`];
  switch (command.do) {
    case 'create_customer': {
      const { displayName, companyName } = command.customer;
      // The company name has the same limit, and is left out instead of cut.
      return companyName === null && isFull(displayName, maxNameLength) ? named('customer name', maxNameLength) : [];
    }
    case 'create_vendor': {
      const { displayName, companyName, employee } = command.vendor;
      const isCutName = employee === undefined ? companyName === null : employee.name.length + 3 > maxNameLength;
      return isCutName && isFull(displayName, maxNameLength) ? named('vendor name', maxNameLength) : [];
    }
    case 'create_payment': {
      const { reference, covers, invoiceId } = command.payment;
      const number = covers?.find(({ id }) => id === invoiceId)?.number ?? null;
      const isCutReference = number === null ? reference.length === maxReferenceLength : !reference.endsWith(number);
      return isCutReference ? named('payment reference', maxReferenceLength) : [];
    }
    default:
      return [];
  }
}

function cutInDocument(plan: Plan): readonly string[] {
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
      const earlier = plan.commands.flatMap((command) =>
        command.do === 'create_bill' && command !== last ? [command.bill] : [],
      );
      return [
        ...named('private note', last.bill.privateNote, limits.other),
        ...[...earlier, last.bill].flatMap(({ lines, number }) =>
          linesOf(lines, earlier.length === 0 ? '' : ` of bill ${number ?? ''}`),
        ),
      ];
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

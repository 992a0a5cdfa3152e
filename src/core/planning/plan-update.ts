import type { AccountingDocument } from '../documents/accounting-document.ts';
import { isSameOrigin } from '../documents/origin.ts';
import { problem, type Problem, type WhyNotUpdated } from '../problems.ts';
import { note, type Note } from '../transcript.ts';
import type { CalendarDate } from '../values/dates.ts';
import { equals, format, isZero, plus, sum, type Decimal } from '../values/decimal.ts';
import { updateMessages } from './messages.ts';
import { amountsOf } from './plan-view.ts';
import { type Command, type DocumentCommand, lastCommand, type Plan } from './plan.ts';
import type { FieldChange, MergeBase, MergedUpdate } from './update-merge.ts';

/** Facts that decide on updating one QuickBooks document. */
export interface UpdateFacts {
  /** Name of the PSA's document for messages. */
  readonly name: string;
  /** Plan of the document as of now. */
  readonly plan: Plan;
  readonly current: {
    readonly syncToken: string;
    readonly emailStatus: string | null;
    readonly document: AccountingDocument;
  };
  /** The number that the document was posted with. QuickBooks does not number a document again. */
  readonly postedNumber: string | null;
  /** The document in QuickBooks and its history. */
  readonly base: MergeBase;
  /** Merges the planned document into the one in QuickBooks. */
  readonly merge: (to: DocumentCommand) => MergedUpdate;
  readonly closedThrough: CalendarDate | null;
  readonly psaLabel: string;
}

/** Decision on updating a QuickBooks document. */
export type UpdateDecision =
  | { readonly outcome: 'plan'; readonly plan: Plan }
  | {
      readonly outcome: 'skip';
      readonly reason: 'same_already';
      readonly message: string;
      readonly isLoggedOnce: boolean;
      readonly notes: readonly Note[];
    }
  | {
      readonly outcome: 'refuse';
      readonly problems: readonly Problem[];
      readonly mark: null;
      readonly notes: readonly Note[];
    };

/** Document type that each command creates. */
const typeMade = {
  create_invoice: 'Invoice',
  create_credit_memo: 'CreditMemo',
  create_purchase_order: 'PurchaseOrder',
  create_bill: 'Bill',
} as const satisfies Record<DocumentCommand['do'], string>;

const isDocumentCommand = (command: Command): command is DocumentCommand => command.do in typeMade;

/**
 * Converts a plan that would create a document into one that updates the posted document (month-end proof, C). Fields
 * that the PSA did not change keep their value in QuickBooks.
 *
 * Invariants: a document is not changed if a payment or receipt is applied to it, or if its old or new date is in a
 * closed period; an invoice never becomes a credit memo; a field that both sides changed is replaced only by choice.
 */
export function planUpdate(facts: UpdateFacts): UpdateDecision {
  const { name, plan, current, postedNumber, base, psaLabel } = facts;
  const { document } = current;
  const made = lastCommand(plan);
  const why = isDocumentCommand(made) ? whyNot(made, facts) : 'form';
  const refuse = (found: Problem): UpdateDecision => ({
    outcome: 'refuse',
    problems: [found],
    mark: null,
    notes: plan.notes,
  });
  if (!isDocumentCommand(made) || why !== null)
    return refuse(problem('CANNOT_UPDATE', { name, psa: psaLabel, because: why ?? 'form' }));
  const to = withPostedValues(made, {
    number: postedNumber ?? document.number,
    privateNote: document.privateNote,
    dueOn: plan.expected.dueOn,
  });
  const merged = facts.merge(to);
  if (merged.conflicts.length > 0)
    return refuse({
      ...problem('CHANGED_ON_BOTH_SIDES', {
        name,
        psa: psaLabel,
        number: document.number ?? document.id,
        changes: fieldsText(merged.conflicts, psaLabel),
      }),
      fields: merged.conflicts,
    });
  const total = plus(totalOf(made, plan), merged.total);
  const isSame = merged.replaces.length === 0 && plan.commands.length === 1;
  if (isSame && (merged.keeps.length > 0 || !isZero(merged.total)))
    return refuse(problem('CANNOT_UPDATE', { name, psa: psaLabel, because: 'kept' }));
  if (isSame && equals(total, document.total))
    return {
      outcome: 'skip',
      reason: 'same_already',
      message: updateMessages.sameAlready(psaLabel),
      isLoggedOnce: false,
      notes: plan.notes,
    };
  const totalsNote = note(
    'info',
    `Changes ${document.type} ${document.number ?? document.id}: ${format(document.total)} -> ${format(total)}`,
  );
  const update: Command = {
    do: 'update',
    id: document.id,
    syncToken: current.syncToken,
    to,
    was: document.total,
    emailStatus: current.emailStatus,
    merge: { ...base, ...(Object.keys(merged.settled).length > 0 && { settled: merged.settled }) },
    replaces: merged.replaces,
    ...(!isZero(merged.total) && { keptAmount: merged.total }),
  };
  return {
    outcome: 'plan',
    plan: {
      ...plan,
      commands: [...plan.commands.slice(0, -1), update],
      expected: { ...plan.expected, subtotal: plus(plan.expected.subtotal, merged.lines) },
      notes: [
        ...plan.notes,
        totalsNote,
        ...merged.replaces.map(({ what, was, is }) => note('info', `Replaces ${what}: ${was} -> ${is}`)),
        ...merged.keeps.map(({ what, was }) => note('info', `Keeps ${what} as changed in QuickBooks: ${was}`)),
      ],
    },
  };
}

/** Maximum number of fields that one message lists. */
const maxListed = 6;

/** Returns a list of fields: `due date (QuickBooks: Mar 30, 2025; Autotask: Mar 15, 2025)`. */
function fieldsText(fields: readonly FieldChange[], psaLabel: string): string {
  const listed = fields.slice(0, maxListed).map(({ what, was, is }) => {
    const name = `${what.charAt(0).toLowerCase()}${what.slice(1)}`;
    return `${name} (QuickBooks: ${was}; ${psaLabel}: ${is})`;
  });
  const left = fields.length - listed.length;
  return [...listed, ...(left > 0 ? [`and ${left} more`] : [])].join(', ');
}

/** Returns the reason why the document cannot be updated; null: there is none. */
function whyNot(made: DocumentCommand, { plan, current, closedThrough }: UpdateFacts): WhyNotUpdated | null {
  const { document } = current;
  // If a report became several bills, it is unknown which one the change belongs to.
  if (typeMade[made.do] !== document.type || plan.commands.slice(0, -1).some(isDocumentCommand)) return 'form';
  if (!isOpen(document)) return document.type === 'PurchaseOrder' ? 'billed' : 'paid';
  const isClosed = (on: CalendarDate) => closedThrough !== null && on <= closedThrough;
  return isClosed(document.datedOn) || isClosed(dateOf(made)) ? 'closed' : null;
}

/** Returns whether nothing has been paid, applied or received for a document yet. */
export const isOpen = ({ type, isOpen: isOrderOpen, links, balance, total }: AccountingDocument): boolean =>
  type === 'PurchaseOrder'
    ? isOrderOpen !== false && !links.some((link) => link.type === 'Bill')
    : equals(balance, total);

/** Returns whether a note says that the document's date was moved out of a closed period. */
const saysMoved = (privateNote: string): boolean => privateNote.includes('Original date ');

function dateOf(made: DocumentCommand): CalendarDate {
  if (made.do === 'create_purchase_order') return made.order.datedOn;
  return made.do === 'create_bill' ? made.bill.datedOn : made.document.datedOn;
}

function totalOf(made: DocumentCommand, plan: Plan): Decimal {
  if (made.do === 'create_purchase_order') return sum(made.order.lines.map(({ amount }) => amount));
  if (made.do === 'create_bill') return sum(made.bill.lines.map(({ amount }) => amount));
  return amountsOf(made.document, plan).total;
}

/**
 * Returns the command with the posted number, which an update without it would remove, and with the posted note, which
 * says when the document was created. Updates send no email.
 */
function withPostedValues(
  made: DocumentCommand,
  { number, privateNote, dueOn }: Pick<AccountingDocument, 'number' | 'privateNote' | 'dueOn'>,
): DocumentCommand {
  const noteOf = (planned: string): string =>
    privateNote !== null && isSameOrigin(privateNote, planned) && saysMoved(privateNote) === saysMoved(planned)
      ? privateNote
      : planned;
  switch (made.do) {
    case 'create_purchase_order':
      return {
        ...made,
        order: { ...made.order, number: made.order.number ?? number, privateNote: noteOf(made.order.privateNote) },
      };
    case 'create_bill':
      return {
        ...made,
        bill: { ...made.bill, number: made.bill.number ?? number, privateNote: noteOf(made.bill.privateNote) },
      };
    default: {
      const { document } = made;
      const email = document.email === null ? null : { ...document.email, send: false };
      return {
        ...made,
        document: {
          ...document,
          email,
          // The due date is sent because terms alone would not replace a due date that a user changed.
          dueOn: document.dueOn ?? dueOn,
          number: document.number ?? number,
          privateNote: noteOf(document.privateNote),
        },
      };
    }
  }
}

import type { BooksDocument } from '../documents/books-document.ts';
import { isSameOrigin } from '../documents/origin.ts';
import { problem, type Problem, type WhyNotUpdated } from '../problems.ts';
import { note, type Note } from '../transcript.ts';
import type { CalendarDate } from '../values/dates.ts';
import { equals, format, sum, type Decimal } from '../values/decimal.ts';
import { updateMessages } from './messages.ts';
import { amountsOf } from './plan-view.ts';
import { lastCommand, type Command, type DocumentCommand, type Plan } from './plan.ts';

/** Facts that decide on the change of one document of the books. */
export interface UpdateFacts {
  /** Name of the PSA's document in a sentence. */
  readonly name: string;
  /** Plan as it would be made now. */
  readonly plan: Plan;
  readonly standing: {
    readonly syncToken: string;
    readonly emailStatus: string | null;
    readonly document: BooksDocument;
  };
  /** The number that it was posted with; the books number no document twice. */
  readonly postedNumber: string | null;
  /** Whether what would be sent differs from what stands, its total aside. */
  readonly hasChanges: boolean;
  readonly closedThrough: CalendarDate | null;
  readonly psaLabel: string;
}

/** Decision on changing the document of the books. */
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

/** The type that each command makes. */
const typeMade = {
  create_invoice: 'Invoice',
  create_credit_memo: 'CreditMemo',
  create_purchase_order: 'PurchaseOrder',
  create_bill: 'Bill',
} as const satisfies Record<DocumentCommand['do'], string>;

const isDocumentCommand = (command: Command): command is DocumentCommand => command.do in typeMade;

/**
 * Turns a plan that would make a document into one that changes the document that stands, whole (month-end proof, C).
 *
 * Invariants: nothing is changed that money or a receipt was applied to, or that is dated in closed books, on either of
 * its days; an invoice never becomes a credit memo.
 */
export function planUpdate(facts: UpdateFacts): UpdateDecision {
  const { name, plan, standing, postedNumber, psaLabel } = facts;
  const { document } = standing;
  const made = lastCommand(plan);
  const why = isDocumentCommand(made) ? whyNot(made, facts) : 'form';
  if (!isDocumentCommand(made) || why !== null) {
    const problems = [problem('CANNOT_UPDATE', { name, psa: psaLabel, because: why ?? 'form' })];
    return { outcome: 'refuse', problems, mark: null, notes: plan.notes };
  }
  const total = totalOf(made, plan);
  if (!facts.hasChanges && plan.commands.length === 1 && equals(total, document.total))
    return {
      outcome: 'skip',
      reason: 'same_already',
      message: updateMessages.sameAlready(psaLabel),
      isLoggedOnce: false,
      notes: plan.notes,
    };
  const said = note(
    'info',
    `Changes ${document.type} ${document.number ?? document.id}: ${format(document.total)} -> ${format(total)}`,
  );
  const update: Command = {
    do: 'update',
    id: document.id,
    syncToken: standing.syncToken,
    to: asItStands(made, {
      number: postedNumber ?? document.number,
      privateNote: document.privateNote,
      dueOn: plan.expected.dueOn,
    }),
    was: document.total,
    emailStatus: standing.emailStatus,
  };
  return {
    outcome: 'plan',
    plan: { ...plan, commands: [...plan.commands.slice(0, -1), update], notes: [...plan.notes, said] },
  };
}

/** Reason against a change; null: there is none. */
function whyNot(made: DocumentCommand, { plan, standing, closedThrough }: UpdateFacts): WhyNotUpdated | null {
  const { document } = standing;
  // One of several bills stands for a report: which one the change belongs to nobody can tell.
  if (typeMade[made.do] !== document.type || plan.commands.slice(0, -1).some(isDocumentCommand)) return 'form';
  if (!isOpen(document)) return 'paid';
  const isClosed = (on: CalendarDate) => closedThrough !== null && on <= closedThrough;
  return isClosed(document.datedOn) || isClosed(dateOf(made)) ? 'closed' : null;
}

/** Whether nothing was paid, applied or received of a document yet. */
export const isOpen = ({ type, isOpen: isOrderOpen, links, balance, total }: BooksDocument): boolean =>
  type === 'PurchaseOrder'
    ? isOrderOpen !== false && !links.some((one) => one.type === 'Bill')
    : equals(balance, total);

/** Whether a note says that the document was posted on another day, because the books were closed. */
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
 * Keeps its number, which a change without one would take away, and the note that says when it was made. Nothing is mailed
 * for a change.
 */
function asItStands(
  made: DocumentCommand,
  { number, privateNote, dueOn }: Pick<BooksDocument, 'number' | 'privateNote' | 'dueOn'>,
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
          // The term would leave a due date that a person changed.
          dueOn: document.dueOn ?? dueOn,
          number: document.number ?? number,
          privateNote: noteOf(document.privateNote),
        },
      };
    }
  }
}

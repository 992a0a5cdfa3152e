import type { InvoiceLine } from '../documents/invoice.ts';
import type { AccountingLists } from '../documents/reference-data.ts';
import { problem, type Problem } from '../problems.ts';
import { note, type Note } from '../transcript.ts';
import { isPositive, isZero, type Decimal } from '../values/decimal.ts';
import { truncate, textOrNull } from '../values/text.ts';
import {
  accountOfNewItem,
  chooseItem,
  cutName,
  itemReference,
  nameItem,
  soldItem,
  type ItemChoice,
  type ItemName,
  type ItemRules,
} from './choose-item.ts';
import { coveredSuffix, type DecidedLine, priceOf, withAmounts } from './document-lines.ts';
import type { ItemMatch, NewItem } from './plan.ts';
import { prepaidSaleProblem } from './prepaid.ts';
import { isCategoryTaxable, isLineTaxable, lineTaxCodes, type LineTaxFacts } from './tax.ts';

export interface LineFacts {
  readonly lines: readonly InvoiceLine[];
  /** The class of each line. */
  readonly classes: readonly (string | null)[];
  readonly isTaxExempt: boolean;
  readonly taxes: LineTaxFacts;
  /** Returns the charged amount of a line, rounded to cents, in the currency that is sent. */
  readonly amountOf: (line: InvoiceLine) => Decimal;
  readonly rateOf: (line: InvoiceLine) => Decimal;
  /** Returns the company that the work was done for, if it is not the document's customer. */
  readonly workOf: (line: InvoiceLine) => string | null;
  /** Position of the first new item among the commands. */
  readonly firstCommand: number;
  readonly items: ItemRules;
  /** The usable account for prepaid money; null: none is chosen. */
  readonly prepaidAccountId: string | null;
  readonly accounting: AccountingLists;
}

export interface DecidedLines {
  /** Decisions, one per billing item; fewer when there are problems. */
  readonly lines: readonly DecidedLine[];
  /** Items to create, each once, in the order of their first line. */
  readonly newItems: readonly NewItem[];
  /** Items that were found by name or number. */
  readonly itemMatches: readonly ItemMatch[];
  readonly hasTaxableLine: boolean;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly notes: readonly Note[];
}

/** Longest line description in QuickBooks. */
const maxDescriptionLength = 4_000;

/** Decides the item, tax code and text of every line (domain reference 6.4, 6.5, 6.7). Collects all problems. */
export function decideLines(facts: LineFacts): DecidedLines {
  const { psa } = facts.items;
  const problems = new Map<string, Problem>();
  const itemMatches: ItemMatch[] = [];
  const missing: { readonly line: InvoiceLine; readonly name: string }[] = [];
  const newItems: NewItem[] = [];
  const warnings = new Map<string, Problem>();
  const notes: Note[] = [];

  const isTaxable = facts.lines.map((line) => isLineTaxable(line, facts, facts.taxes.regime, psa));
  const hasTaxableLine = isTaxable.includes(true);
  const needed = { taxable: hasTaxableLine, untaxed: isTaxable.includes(false) };
  const codes = lineTaxCodes(facts.taxes, needed);
  for (const found of codes.problems) problems.set(found.message, found);
  for (const found of codes.warnings) warnings.set(found.message, found);

  const lines = facts.lines.flatMap((line, index): DecidedLine[] => {
    const named = nameItem(line, psa, facts.items.itemSettings);
    if (named.isFallback)
      notes.push(note('info', `Line ${index + 1}  nothing to name its item after: "${named.name}" is used`));
    const choice = chooseItem(line, named.name, isCategoryTaxable(line, psa), facts.items);
    const amount = facts.amountOf(line);
    const taxCode = isTaxable[index] === true ? codes.taxable : codes.untaxed;
    const isCovered = isZero(amount) && isPositive(line.extendedPrice);
    notes.push(lineNote(index + 1, line, named, choice, facts, { amount, taxCode, isCovered }));
    const used = choice.is === 'existing' && choice.by !== 'name' ? null : cutName(named.name);
    if (used !== null) warnings.set(named.name, nameIsCut(line, named.name, used, psa));
    if (choice.is === 'missing') missing.push({ line, name: named.name });
    if (choice.is === 'refused') problems.set(choice.problem.message, choice.problem);
    if (choice.is === 'missing' || choice.is === 'refused') return [];
    const prepaid = prepaidSaleProblem(line, amount, choice, {
      prepaidAccountId: facts.prepaidAccountId,
      accounts: facts.accounting.accounts,
      source: soldItem(line, psa),
    });
    if (prepaid !== null) {
      problems.set(prepaid.message, prepaid);
      return [];
    }
    if (choice.is === 'existing' && choice.match !== undefined) itemMatches.push(choice.match);
    return [
      {
        amount,
        quantity: line.quantity,
        rate: facts.rateOf(line),
        description: describeLine(line, named.name, isCovered, facts),
        groupDescription: textOrNull(line.groupDescription),
        item: itemReference(choice, newItems, facts.firstCommand),
        itemName: choice.item.name,
        servedOn: line.servedOn,
        classId: facts.classes[index] ?? null,
        taxCode,
        isCovered,
        entries: 1,
        workOf: facts.workOf(line),
      },
    ];
  });
  if (missing.length > 0) {
    const list = missing.map(({ line, name }) => `“${name}” (${kindLabel(line)})`).join(', ');
    const found = problem('ITEM_NOT_MAPPED', {
      count: missing.length,
      list,
      sources: missing.flatMap(({ line }) => soldItem(line, psa) ?? []),
    });
    problems.set(found.message, found);
  }
  return {
    lines,
    newItems,
    itemMatches,
    hasTaxableLine,
    problems: [...problems.values()],
    warnings: [...warnings.values()],
    notes,
  };
}

/** Two long names can be equal after the cut, so they would share one QuickBooks item. */
function nameIsCut(line: InvoiceLine, name: string, used: string, psa: ItemRules['psa']): Problem {
  const source = soldItem(line, psa);
  return problem('ITEM_NAME_CUT', { name, used, ...(source !== null && { source }) });
}

const kindLabel = (line: InvoiceLine): string => line.kind.replaceAll('_', ' ');

/** Returns the text of a line as the client reads it (domain reference 6.5). */
function describeLine(line: InvoiceLine, itemName: string, isCovered: boolean, { items }: LineFacts): string {
  const parts = [textOrNull(line.itemName), textOrNull(line.description)].filter((part) => part !== null);
  const text = textOrNull(line.fullDescription) ?? textOrNull(parts.join('\n')) ?? itemName;
  const isLabour = line.kind === 'labor';
  const role = isLabour && line.roleId !== null ? textOrNull(items.psa.roles.get(line.roleId)) : null;
  const suffix = isLabour && isCovered ? coveredSuffix : '';
  return `${truncate(`${role === null ? '' : `${role}: `}${text}`, maxDescriptionLength - suffix.length, '…')}${suffix}`;
}

interface LineAmounts {
  readonly amount: Decimal;
  readonly taxCode: string | null;
  readonly isCovered: boolean;
}

function lineNote(
  number: number,
  line: InvoiceLine,
  named: ItemName,
  choice: ItemChoice,
  { items, rateOf }: LineFacts,
  { amount, taxCode, isCovered }: LineAmounts,
): Note {
  const subject = `Line ${number}  ${named.name} (${kindLabel(line)}) -> ${targetOf(choice, line, items)}`;
  const { quantity, unitPrice } = priceOf(line.quantity, amount, rateOf(line));
  const covered = isCovered ? '  covered by contract' : '';
  return note('info', withAmounts(subject, { quantity, unitPrice, amount }, `${taxCode ?? ''}${covered}`));
}

function targetOf(choice: ItemChoice, line: InvoiceLine, rules: ItemRules): string {
  const { accounting } = rules;
  switch (choice.is) {
    case 'existing':
      return `item ${choice.item.id} ${choice.item.fullyQualifiedName} (${choice.by})`;
    case 'new': {
      const incomeAccountId = accountOfNewItem(line.kind, rules);
      const account = accounting.accountNames.get(incomeAccountId ?? '') ?? incomeAccountId;
      return `new item ${choice.item.name} (to be created, income account ${account})`;
    }
    case 'missing':
      return 'no item';
    default:
      return 'no usable item';
  }
}

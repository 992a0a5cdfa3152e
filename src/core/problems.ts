import type { AccountingLists } from './documents/reference-data.ts';
import { afterPostingProblems } from './problems/after-posting.ts';
import { documentProblems } from './problems/documents.ts';
import { screens, type Entry } from './problems/entry.ts';
import { itemProblems } from './problems/items.ts';
import { partyProblems, vendorAmbiguity } from './problems/parties.ts';
import type { Problem, ProblemDocument, Treatment } from './problems/problem.ts';
import { purchaseProblems } from './problems/purchases.ts';
import { serviceProblems } from './problems/services.ts';
import { taxProblems } from './problems/tax.ts';
import type { ServiceFailure } from './service-error.ts';

export { isPurchase } from './problems/after-posting.ts';
export type { WhyNotBilled, WhyNotUpdated } from './problems/after-posting.ts';
export type { Entry } from './problems/entry.ts';
export type { Problem, ProblemDocument, Repair, Treatment } from './problems/problem.ts';

/**
 * Every problem the product reports (domain reference 13); the log, the API and the screens read this table. Amounts in
 * the sentences' parameters are already formatted for people.
 */
export const problems = {
  ...partyProblems,
  ...itemProblems,
  ...purchaseProblems,
  ...documentProblems,
  ...taxProblems,
  ...afterPostingProblems,
  ...serviceProblems,
} as const;

export type ProblemCode = keyof typeof problems;

export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(problems, code);

/**
 * Creates a problem of the catalogue.
 *
 * @param of parameters of its sentences; none for codes whose sentences have no parameters.
 */
export function problem<Code extends ProblemCode>(
  code: Code,
  ...of: Parameters<(typeof problems)[Code]['message']>
): Problem {
  return made(code, of[0]);
}

function made(code: ProblemCode, of: unknown, words?: Pick<Problem, 'message'>): Problem {
  const entry: Entry<never> = problems[code];
  const { treatment, screen } = entry;
  const remedy = typeof entry.remedy === 'function' ? entry.remedy(of as never) : entry.remedy;
  const repairs = entry.repairs?.(of as never) ?? [];
  return {
    code,
    treatment,
    message: words?.message ?? entry.message(of as never),
    remedy: withPsa(remedy, of),
    screen,
    ...(repairs.length === 0 ? {} : { repairs }),
  };
}

/** Adds the document to each problem, so that screens show it without parsing the sentences. */
export const ofDocument = (found: readonly Problem[], document: ProblemDocument): readonly Problem[] =>
  found.map((one) => ({ ...one, document: one.document ?? document }));

/** Returns a customer code for a vendor: with another sentence and another screen for the fix. */
export const problemOfVendor = (
  of: { readonly code: 'CUSTOMER_AMBIGUOUS' | 'CURRENCY_MISMATCH'; readonly message?: string } & Parameters<
    typeof vendorAmbiguity.message
  >[0],
): Problem => {
  const { code, message = vendorAmbiguity.message(of) } = of;
  const repairs = vendorAmbiguity.repairs?.(of) ?? [];
  const remedy = typeof vendorAmbiguity.remedy === 'function' ? vendorAmbiguity.remedy(of) : vendorAmbiguity.remedy;
  return {
    code,
    treatment: problems[code].treatment,
    message,
    remedy,
    screen: screens.vendors,
    ...(repairs.length === 0 ? {} : { repairs }),
  };
};

/** Separates QuickBooks' text from the records that a document uses. */
export const usedRecords = ' The document uses ';

/**
 * Adds the records that a document uses to a missing-reference problem, because QuickBooks does not name the missing
 * one.
 */
export const withUsedRecords = (found: Problem, records: string): Problem =>
  found.code === 'QBO_REFERENCE' && records !== ''
    ? {
        ...found,
        message: `${found.message.replace(/[^.]$/, '$&.')}${usedRecords}${records}.`,
        screen: /(^|, )item /.test(records) ? screens.items : screens.expenses,
      }
    : found;

/**
 * Names the chosen account in the problem that it cannot be used, if it is inactive in QuickBooks.
 *
 * @param id of the account that a setting or mapping stores; null if none is chosen
 */
export function withInactiveAccount(
  found: Problem,
  id: string | null | undefined,
  { accounts }: Pick<AccountingLists, 'accounts'>,
): Problem {
  const account = accounts.find((one) => one.id === id);
  if (account === undefined || account.isActive) return found;
  const name = `“${account.fullyQualifiedName}”`;
  return {
    ...found,
    message: `The account ${name} is inactive in QuickBooks. ${found.message}`,
    remedy: `${found.remedy ?? ''} Or make ${name} active in QuickBooks again.`.trimStart(),
  };
}

/** A transient problem that repeated so often that a person has to act (domain reference 5.2). */
export const givenUp = (found: Problem, tries: number): Problem => ({
  ...found,
  treatment: 'person',
  remedy: `It was tried ${tries} times. Sync it again by hand, or clear its sync status, once the service responds.`,
});

const withPsa = (remedy: string | null, of: unknown): string | null => {
  const psa = typeof of === 'object' && of !== null && 'psa' in of && typeof of.psa === 'string' ? of.psa : 'the PSA';
  return remedy?.replaceAll('{psa}', psa) ?? null;
};

/** Codes that keep their own sentence or use the service's message. */
const serviceCodes: ReadonlySet<string> = new Set<ProblemCode>([
  'QBO_VALIDATION',
  'QBO_REFERENCE',
  'QBO_UNREADABLE',
  'QBO_SUBSCRIPTION',
  'QBO_PERMISSION',
  'QBO_PLAN',
  'QBO_COMPANY_DELETED',
  'QBO_COMPANY_UNAVAILABLE',
  'QBO_STALE',
  'QBO_THROTTLED',
  'QBO_READS_BLOCKED',
  'QBO_UNAVAILABLE',
  'QBO_READ_REFUSED',
  'QBO_AUTH',
  'PSA_UNAVAILABLE',
  'PSA_READ_REFUSED',
  'PSA_LIMIT',
  'PSA_VALIDATION',
  'PSA_NOT_STORED',
  'PSA_AUTH',
]);

/**
 * Returns the problem of a document whose call failed. The connector's code decides: a code of the catalogue about
 * documents (e.g. `PERIOD_CLOSED` from QuickBooks) keeps its treatment and remedy, with the service's text as message.
 * An unknown code becomes the general code for the next step.
 *
 * @param psaLabel the PSA's label, e.g. `Autotask`.
 */
export function problemOfService(
  failure: Pick<ServiceFailure, 'service' | 'next' | 'code' | 'detail'>,
  psaLabel: string,
): Problem {
  const code = isProblemCode(failure.code) ? failure.code : generalCode(failure);
  const of = { psa: psaLabel, detail: failure.detail, ...unnamed };
  const words = serviceCodes.has(code) ? undefined : { message: `QuickBooks rejected the document: ${failure.detail}` };
  return made(code, of, words);
}

/** Parameters for a document code that QuickBooks raised: it reports neither the number nor which document has it. */
const unnamed = { takenBy: 'the document that has it', what: 'invoice' } as const;

function generalCode({ service, next }: Pick<ServiceFailure, 'service' | 'next'>): ProblemCode {
  const isPsa = service === 'psa';
  switch (next) {
    case 'try_again':
      return isPsa ? 'PSA_UNAVAILABLE' : 'QBO_UNAVAILABLE';
    case 'reconnect':
      return isPsa ? 'PSA_AUTH' : 'QBO_AUTH';
    case 'stop_run':
      return isPsa ? 'PSA_AUTH' : 'QBO_PERMISSION';
    default:
      return isPsa ? 'PSA_VALIDATION' : 'QBO_VALIDATION';
  }
}

/** Returns the closing sentence of a refused attempt. */
export const sentenceOf = (found: readonly Problem[]): string => found.map(({ message }) => message).join(' ');

/** Most severe first: the most severe of several problems decides the treatment of the document. */
const byStrength: readonly Treatment[] = ['stops_run', 'transient', 'person', 'held', 'warning'];

/** Returns the treatment of a document with these problems; `warning` without any. */
export const treatmentOf = (found: readonly Problem[]): Treatment =>
  byStrength.find((treatment) => found.some((one) => one.treatment === treatment)) ?? 'warning';

import { inParallel } from '#core/in-parallel.ts';
import { noNames, type RecordNames } from '#core/reconciliation/record-names.ts';
import type { CloseContent, CloseDecision, StoredClose } from '#core/records/closes.ts';
import {
  changesBetween,
  closeState,
  exceptionsOf,
  signatureKinds,
  signedProof,
  type CloseChange,
  type CloseState,
  type Exception,
  type Signature,
  type SignatureKind,
} from '#core/reconciliation/close.ts';
import { previousMonth, type Month } from '#core/reconciliation/month.ts';
import { Refusal } from '#core/refusal.ts';
import type { CalendarDate } from '#core/values/dates.ts';
import { readCachedLists } from '../connections/cached-lists.ts';
import type { TenantContext } from '../context.ts';
import { readLastRun } from './last-run.ts';

/** A month as a list shows it. */
export interface CloseSummary {
  readonly month: Month;
  readonly state: CloseState;
  readonly newest: StoredClose;
  readonly signatures: readonly Signature[];
}

/** A difference that a user carried over from an earlier month. */
export interface CarriedDifference {
  readonly month: Month;
  readonly exception: Exception;
  readonly decision: CloseDecision;
}

/** How many earlier months may carry differences into a month. */
const carryMonths = 12;

/** A month with all details. */
export interface CloseView {
  readonly month: Month;
  readonly state: CloseState;
  /** Null until the month is prepared for the first time. */
  readonly close: CloseContent | null;
  readonly signatures: readonly Signature[];
  readonly decisions: ReadonlyMap<string, CloseDecision>;
  /** Unresolved differences that a user carried over from earlier months, oldest month first. */
  readonly carried: readonly CarriedDifference[];
  readonly changes: readonly CloseChange[];
  readonly isPreparing: boolean;
  readonly problem: string | null;
  /** Kinds of signature that this user can give to the newest proof. */
  readonly maySignAs: readonly SignatureKind[];
  /** Whether preparer and reviewer must be different people. */
  readonly areTwoPeople: boolean;
  /** QuickBooks' closing date when last read; null while the books are open. */
  readonly closedThrough: CalendarDate | null;
}

/** Returns the signatures that a month shows: those of the signed proof, otherwise those of the newest proof. */
const shown = (proofs: readonly StoredClose[], signatures: readonly Signature[]): readonly Signature[] => {
  const about = signedProof(proofs, signatures) ?? proofs.at(-1);
  return signatures.filter(({ closeId }) => closeId === about?.id);
};

/** Lists the months that were prepared, newest first. */
export async function listMonths({ store }: TenantContext, months: number): Promise<readonly CloseSummary[]> {
  const proofs = await store.listCloses({ months });
  const byMonth = Map.groupBy(proofs, ({ month }) => month);
  const signatures = await store.listSignatures([...byMonth.keys()]);
  return [...byMonth]
    .map(([month, own]) => {
      const newest = own.at(-1);
      return newest === undefined
        ? []
        : [{ month, state: closeState(own, signatures), newest, signatures: shown(own, signatures) }];
    })
    .flat()
    .sort((a, b) => (a.month < b.month ? 1 : -1));
}

/** Returns a month according to its newest proof. */
export async function readMonth(context: TenantContext, month: Month, username: string): Promise<CloseView> {
  const { store } = context;
  const [proofs, signatures, decided, carried, run, { close_two_people: areTwoPeople }] = await inParallel([
    store.listCloses({ month }),
    store.listSignatures([month]),
    store.listDecisions(month),
    listCarried(context, month),
    readLastRun(context, month),
    store.readSettings(),
  ]);
  const newest = proofs.at(-1);
  const signed = signedProof(proofs, signatures);
  const close = newest === undefined ? null : await store.readClose(newest.id);
  const before =
    signed === null || newest === undefined || signed.sha256 === newest.sha256
      ? null
      : await store.readClose(signed.id);
  const own = signatures.filter(({ closeId }) => closeId === newest?.id);
  const isBarred = areTwoPeople && own.some(({ by }) => by === username);
  const state = closeState(proofs, signatures);
  const isUnsure = run.isRunning || run.problem !== null;
  // An unchanged month is not stored again, so its proof may be older than QuickBooks' closing date.
  const lists = state === 'signed' ? await readCachedLists(context) : null;
  const free = signatureKinds.filter((as) => !own.some((one) => one.as === as));
  return {
    month,
    state,
    close,
    signatures: shown(proofs, signatures),
    decisions: new Map(decided.map((decision) => [decision.key, decision])),
    carried,
    changes: before === null || close === null ? [] : changesBetween(before.proof, close.proof, namesOf(before, close)),
    isPreparing: run.isRunning,
    problem: run.problem,
    maySignAs: newest === undefined || isBarred || isUnsure || state === 'signed' ? [] : free,
    areTwoPeople,
    closedThrough: lists === null ? (close?.proof.closedThrough ?? null) : lists.preferences.closedThrough,
  };
}

/** Lists the differences carried over from earlier months that the newest proofs of those months still contain. */
export async function listCarried(
  { store }: Pick<TenantContext, 'store'>,
  month: Month,
): Promise<readonly CarriedDifference[]> {
  const earlier: Month[] = [];
  for (let one = previousMonth(month); earlier.length < carryMonths; one = previousMonth(one)) earlier.unshift(one);
  const found = await inParallel(
    earlier.map(async (from) => {
      const carried = (await store.listDecisions(from)).filter(({ decision }) => decision === 'carry');
      const newest = carried.length === 0 ? undefined : (await store.listCloses({ month: from })).at(-1);
      const close = newest === undefined ? null : await store.readClose(newest.id);
      const exceptions = close === null ? [] : exceptionsOf(close.proof);
      return carried.flatMap((decision) => {
        const exception = exceptions.find(({ key, amount }) => key === decision.key && amount === decision.amount);
        return exception === undefined ? [] : [{ month: from, exception, decision }];
      });
    }),
  );
  return found.flat();
}

/** Facts for the file of a proof, which shows times in the client's time zone. */
export type ProofView = CloseView & { readonly close: CloseContent; readonly timeZone: string };

/**
 * Returns a proof of a month with its signatures and decisions, for its file. Includes only signatures of this proof: a
 * proof made after the signing has none.
 *
 * @param closeId one of the month's proofs; the newest when absent.
 * @throws Refusal `not_found` when the proof does not exist or belongs to another month.
 */
export async function readProof(
  context: TenantContext,
  month: Month,
  username: string,
  closeId: string | undefined,
): Promise<ProofView> {
  const { store } = context;
  const [view, signatures, { timeZone }] = await inParallel([
    readMonth(context, month, username),
    store.listSignatures([month]),
    store.readTenant(),
  ]);
  // For a signed month, the file is the signed proof, although a newer proof may show later payments.
  const signedId = view.state === 'signed' ? view.signatures[0]?.closeId : undefined;
  const wanted = closeId ?? signedId;
  const close = wanted === undefined ? view.close : await store.readClose(wanted);
  if (close === null || close.month !== month)
    throw new Refusal('not_found', 'not_found', 'Proof not found. Prepare the month first.');
  const own = signatures.filter((signature) => signature.closeId === close.id);
  const isSigned = signatureKinds.every((as) => own.some((one) => one.as === as));
  return { ...view, close, timeZone, signatures: own, state: isSigned ? 'signed' : view.state };
}

/** Returns the newest name of each record. */
function namesOf(before: CloseContent, now: CloseContent): RecordNames {
  const [old, names] = [before.setup.names ?? noNames, now.setup.names ?? noNames];
  return {
    customer: { ...old.customer, ...names.customer },
    item: { ...old.item, ...names.item },
    account: { ...old.account, ...names.account },
    class: { ...old.class, ...names.class },
    location: { ...old.location, ...names.location },
  };
}

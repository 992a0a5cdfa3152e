import { inParallel } from '#core/in-parallel.ts';
import { noNames, type RecordNames } from '#core/reconciliation/record-names.ts';
import type { CloseContent, CloseDecision, StoredClose } from '#core/ports/closes.ts';
import {
  changesBetween,
  closeState,
  signatureKinds,
  signedProof,
  type CloseChange,
  type CloseState,
  type Signature,
  type SignatureKind,
} from '#core/reconciliation/close.ts';
import type { Month } from '#core/reconciliation/month.ts';
import { Refusal } from '#core/refusal.ts';
import type { CalendarDate } from '#core/values/dates.ts';
import { readKeptLists } from '../connections/cached-lists.ts';
import type { TenantContext } from '../context.ts';

/** A month in a list. */
export interface CloseSummary {
  readonly month: Month;
  readonly state: CloseState;
  readonly newest: StoredClose;
  readonly signatures: readonly Signature[];
}

/** A month whole. */
export interface CloseView {
  readonly month: Month;
  readonly state: CloseState;
  /** Null until it was prepared once. */
  readonly close: CloseContent | null;
  readonly signatures: readonly Signature[];
  readonly decisions: ReadonlyMap<string, CloseDecision>;
  readonly changes: readonly CloseChange[];
  readonly isPreparing: boolean;
  readonly problem: string | null;
  /** Kinds of signature that this person can put under the newest proof. */
  readonly maySignAs: readonly SignatureKind[];
  /** Whether preparer and reviewer have to be two people. */
  readonly areTwoPeople: boolean;
  /** Through which day the books are closed, as it was read last; null while they are open. */
  readonly closedThrough: CalendarDate | null;
}

/** The signatures that a month shows: of the proof that is signed, otherwise of the newest one. */
const shown = (proofs: readonly StoredClose[], signatures: readonly Signature[]): readonly Signature[] => {
  const about = signedProof(proofs, signatures) ?? proofs.at(-1);
  return signatures.filter(({ closeId }) => closeId === about?.id);
};

/** The newest months that were prepared, newest first. */
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

/** A month as it was found last. */
export async function readMonth(context: TenantContext, month: Month, username: string): Promise<CloseView> {
  const { store } = context;
  const [proofs, signatures, decided, run, { close_two_people: areTwoPeople }] = await inParallel([
    store.listCloses({ month }),
    store.listSignatures([month]),
    store.listDecisions(month),
    store.readCloseRun(month),
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
  const isUnsure = run !== null && (run.endedAt === null || run.problem !== null);
  // A month that is found unchanged keeps its proof, so that the proof may be older than the closing date of the books.
  const lists = state === 'signed' ? await readKeptLists(context) : null;
  const free = signatureKinds.filter((as) => !own.some((one) => one.as === as));
  return {
    month,
    state,
    close,
    signatures: shown(proofs, signatures),
    decisions: new Map(decided.map((one) => [one.key, one])),
    changes: before === null || close === null ? [] : changesBetween(before.proof, close.proof, namesOf(before, close)),
    isPreparing: run !== null && run.endedAt === null,
    problem: run?.problem ?? null,
    maySignAs: newest === undefined || isBarred || isUnsure || state === 'signed' ? [] : free,
    areTwoPeople,
    closedThrough: lists === null ? (close?.proof.closedThrough ?? null) : lists.preferences.closedThrough,
  };
}

/** Facts for the file of a proof; instants are printed in the client's time zone. */
export type ProofView = CloseView & { readonly close: CloseContent; readonly timeZone: string };

/**
 * A proof of a month with everything that stands around it, as its file is made from. Signatures are those of this very
 * proof: one that was found after the signing bears none.
 *
 * @param closeId one of the month's proofs; the newest when absent.
 * @throws Refusal `not_found` when there is no such proof of the month.
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
  // The file of a signed month is the proof that was signed, although a later reading may show later payments.
  const signedId = view.state === 'signed' ? view.signatures[0]?.closeId : undefined;
  const wanted = closeId ?? signedId;
  const close = wanted === undefined ? view.close : await store.readClose(wanted);
  if (close === null || close.month !== month)
    throw new Refusal('not_found', 'not_found', 'There is no such proof. Prepare the month first.');
  const own = signatures.filter((one) => one.closeId === close.id);
  const isSigned = signatureKinds.every((as) => own.some((one) => one.as === as));
  return { ...view, close, timeZone, signatures: own, state: isSigned ? 'signed' : view.state };
}

/** The newest name of each record. */
function namesOf(before: CloseContent, now: CloseContent): RecordNames {
  const [old, names] = [before.setup.names ?? noNames, now.setup.names ?? noNames];
  return {
    customer: { ...old.customer, ...names.customer },
    item: { ...old.item, ...names.item },
    account: { ...old.account, ...names.account },
    class: { ...old.class, ...names.class },
  };
}

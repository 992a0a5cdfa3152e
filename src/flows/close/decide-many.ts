import type { CloseDecision } from '#core/records/closes.ts';
import { exceptionsOf } from '#core/reconciliation/close.ts';
import type { Month } from '#core/reconciliation/month.ts';
import { Refusal } from '#core/refusal.ts';
import { equals, type Decimal } from '#core/values/decimal.ts';
import { counted } from '#core/values/text.ts';
import { actorOf, type Principal } from '../access/principal.ts';
import type { TenantContext } from '../context.ts';

/** A difference as the user saw it. */
interface SeenDifference {
  readonly key: string;
  readonly amount: Decimal;
  readonly decision: CloseDecision['decision'] | null;
}

/** A difference that was left as it is. */
interface LeftAsIs {
  readonly key: string;
  /**
   * It is not in the newest proof any more, its amount changed, or another user decided about it meanwhile.
   */
  readonly why: 'gone' | 'changed' | 'decided';
  /** The decision of the other user; null for other reasons. */
  readonly decision: CloseDecision | null;
}

/** Decisions about several differences. */
interface DecidedMany {
  readonly decided: readonly CloseDecision[];
  readonly left: readonly LeftAsIs[];
  readonly message: string;
}

/**
 * Accepts several differences of a month, or carries them to the next month, with one reason. A difference that the user
 * did not see as it is now keeps its decision and is reported; the others are decided.
 *
 * @throws Refusal `not_found` when the month has no proof.
 */
export async function decideMany(
  { store, clock }: Pick<TenantContext, 'store' | 'clock'>,
  principal: Principal,
  month: Month,
  {
    decision,
    reason,
    differences,
  }: Pick<CloseDecision, 'decision' | 'reason'> & { readonly differences: readonly SeenDifference[] },
): Promise<DecidedMany> {
  const newest = (await store.listCloses({ month })).at(-1);
  const close = newest === undefined ? null : await store.readClose(newest.id);
  if (close === null) throw new Refusal('not_found', 'not_found', 'Proof not found. Prepare the month first.');
  const amounts = new Map(exceptionsOf(close.proof).map(({ key, amount }) => [key, amount]));
  const seen = [...new Map(differences.map((difference) => [difference.key, difference])).values()];
  const [at, by] = [clock.now(), principal.username];
  let decided: readonly CloseDecision[] = [];
  let left: readonly LeftAsIs[] = [];
  await store.addDecisions(month, (present) => {
    const known = new Map(present.map((one) => [one.key, one]));
    left = seen.flatMap(
      (difference) => leftAsIs(difference, amounts.get(difference.key), known.get(difference.key)) ?? [],
    );
    const isLeft = new Set(left.map(({ key }) => key));
    decided = seen.flatMap(({ key, amount }) =>
      isLeft.has(key) ? [] : [{ month, key, amount: amounts.get(key) ?? amount, decision, reason, by, at }],
    );
    return {
      decisions: decided,
      event: {
        at,
        actor: actorOf(principal),
        action: decision === 'accept' ? 'close.differences_accepted' : 'close.differences_carried',
        subject: month,
        before: null,
        after: { count: decided.length, reason, differences: decided.map(({ key, amount }) => ({ key, amount })) },
      },
    };
  });
  return { decided, left, message: messageOf(decision, decided.length, left) };
}

/** Returns why a difference keeps its state; null if the user saw it as it is. */
function leftAsIs(
  { key, amount, decision: seen }: SeenDifference,
  now: Decimal | undefined,
  known: CloseDecision | undefined,
): LeftAsIs | null {
  if (now === undefined) return { key, why: 'gone', decision: null };
  if (!equals(now, amount)) return { key, why: 'changed', decision: null };
  // A decision applies only to the amount that it was made for.
  const present = known !== undefined && equals(known.amount, now) ? known : null;
  return present !== null && present.decision !== seen ? { key, why: 'decided', decision: present } : null;
}

const doneTexts = { accept: 'accepted', carry: 'carried to the next month' } as const;

function messageOf(decision: CloseDecision['decision'], count: number, left: readonly LeftAsIs[]): string {
  const number = (why: LeftAsIs['why']): number => left.filter((one) => one.why === why).length;
  const others = [...new Set(left.flatMap((one) => one.decision?.by ?? []))].join(', ');
  const parts = [
    ...(number('decided') === 0 ? [] : [`${number('decided')} decided by ${others} meanwhile`]),
    ...(number('changed') === 0 ? [] : [`${number('changed')} with another amount now`]),
    ...(number('gone') === 0 ? [] : [`${number('gone')} not in the month any more`]),
  ];
  const done = `${counted(count, 'difference')} ${doneTexts[decision]}.`;
  return parts.length === 0 ? done : `${done} Left as they are: ${parts.join(', ')}.`;
}

import { ChangedMeanwhile, changedRefusal, requireUnchanged, type FieldValues } from '#core/changed-meanwhile.ts';
import { noticeRoles } from '#core/notices.ts';
import { documentName } from '#core/kinds.ts';
import { documentCommand, type Plan } from '#core/planning/plan.ts';
import type { CloseDecision } from '#core/records/closes.ts';
import { checklistOf } from '#core/reconciliation/checklist.ts';
import { exceptionsOf, type Signature, type SignatureKind } from '#core/reconciliation/close.ts';
import { openPointsOf } from '#core/reconciliation/undecided.ts';
import { monthOf, type Month } from '#core/reconciliation/month.ts';
import { Refusal } from '#core/refusal.ts';
import { addSeconds, type CalendarDate } from '#core/values/dates.ts';
import { format, type Decimal } from '#core/values/decimal.ts';
import { counted } from '#core/values/text.ts';
import { actorOf, type Principal } from '../access/principal.ts';
import type { TenantContext } from '../context.ts';
import { readLastRun } from './last-run.ts';

/** A signature that a user wants to give. */
export interface Signing {
  readonly closeId: string;
  readonly as: SignatureKind;
  readonly checked: readonly string[];
  readonly reason: string | null;
}

/**
 * Signs the newest proof of a month. Preparer and reviewer must be different people unless the settings allow one, and
 * both must be users of the client.
 *
 * @throws Refusal `not_found`; `outdated` (409) when a newer proof exists or is being prepared, or a document is being
 *   posted into the month; `refresh_failed` (409) when the newest preparation failed; `reason_needed`, `checklist_open` (422); `signed_already`, `two_people` (409);
 *   `own_people` (409) for a system administrator, who is not a user of the client.
 */
export async function signMonth(
  { store, clock }: TenantContext,
  principal: Principal,
  month: Month,
  signing: Signing,
): Promise<Signature> {
  const close = await store.readClose(signing.closeId);
  if (close === null || close.month !== month) throw new Refusal('not_found', 'not_found', 'Proof not found.');
  if (principal.masquerader !== null)
    throw new Refusal('conflict', 'own_people', 'A month is signed by the client’s own people.');
  const newest = (await store.listCloses({ month })).at(-1);
  if (newest?.id !== close.id)
    throw new Refusal('conflict', 'outdated', 'The month was refreshed meanwhile. Check the new proof first.');
  const run = await readLastRun({ store, clock }, month);
  if (run.isRunning)
    throw new Refusal('conflict', 'outdated', 'The month is being refreshed. Check the new proof first.');
  if (run.problem !== null)
    throw new Refusal(
      'conflict',
      'refresh_failed',
      `The last refresh of this month failed. ${run.problem} Refresh the month before you sign it.`,
    );
  await requireNothingUnderWay({ store, clock }, month);
  const open = checklistOf(close.proof).filter(({ key }) => !signing.checked.includes(key));
  if (open.length > 0)
    throw new Refusal('unprocessable', 'checklist_open', 'Confirm every point of the checklist first.', [
      { key: 'checked', error: `Open: ${open.map(({ label }) => label).join('; ')}` },
    ]);
  const reason = signing.reason === '' ? null : signing.reason;
  const openPoints = openPointsOf(close.proof, await store.listDecisions(month));
  if (openPoints.length > 0 && reason === null) {
    const message = `The month has open points: ${openPoints.map(({ label }) => label).join(', ')}. Settle, accept or carry them, or enter a reason for signing.`;
    throw new Refusal('unprocessable', 'reason_needed', message, [{ key: 'reason', error: message }]);
  }
  const { close_two_people: areTwo } = await store.readSettings();
  const others = (await store.listSignatures([month])).filter(({ closeId }) => closeId === close.id);
  if (areTwo && others.some(({ as, by }) => as !== signing.as && by === principal.username))
    throw new Refusal(
      'conflict',
      'two_people',
      'You already signed this month: preparer and reviewer must be two people. Ask another user to sign, or allow one person to sign as both under Settings, Advanced.',
    );
  const signature = { closeId: close.id, as: signing.as, by: principal.username, at: clock.now(), reason };
  if (!(await store.addSignature({ ...signature, checked: signing.checked, byOneAllowed: !areTwo })))
    throw new Refusal('conflict', 'signed_already', `This month is already signed by its ${signing.as}.`);
  await store.addAudit({
    at: signature.at,
    actor: actorOf(principal),
    action: 'close.signed',
    subject: month,
    before: null,
    after: { as: signing.as, sha256: close.sha256, reason },
  });
  const kind = 'month_signed';
  await store.addNotices([
    {
      notice: { kind, month, as: signing.as, by: signature.by },
      at: signature.at,
      roles: noticeRoles(kind),
      except: signature.by,
    },
  ]);
  return signature;
}

/** Longest time that an unfinished attempt waits. */
const everSeconds = 3_650 * 86_400;

/** Checks that no document is being posted into a month. @throws Refusal `outdated` (409). */
async function requireNothingUnderWay(
  { store, clock }: Pick<TenantContext, 'store' | 'clock'>,
  month: Month,
): Promise<void> {
  const unfinished = await store.listUnfinished(addSeconds(clock.now(), everSeconds));
  const under = unfinished.filter((attempt) => {
    const isSent = attempt.state === 'posting' || attempt.state === 'unsure' || attempt.state === 'posted';
    const on = isSent ? (postedOn(attempt.plan) ?? attempt.about?.on ?? null) : null;
    return on !== null && monthOf(on) === month;
  });
  const [first] = under;
  if (first === undefined) return;
  const name = documentName(first.kind, first.psaId);
  const others = under.length === 1 ? '' : ` and ${counted(under.length - 1, 'other document')}`;
  throw new Refusal(
    'conflict',
    'outdated',
    `${name}${others} is being posted into this month. Wait until it is done, refresh the month, and check the new proof.`,
  );
}

/** Returns the day of the document that a plan creates or changes; null for a void, which has the day of its invoice. */
function postedOn(plan: Plan): CalendarDate | null {
  const made = documentCommand(plan);
  switch (made.do) {
    case 'create_invoice':
    case 'create_credit_memo':
      return made.document.datedOn;
    case 'create_purchase_order':
      return made.order.datedOn;
    case 'create_bill':
      return made.bill.datedOn;
    case 'create_payment':
      return made.payment.paidOn;
    default:
      return null;
  }
}

/**
 * Accepts a difference of a month or carries it to the next month. The decision applies only to the present amount.
 *
 * @param request.was amount and decision as the user saw them; see `requireUnchanged`.
 * @throws Refusal `not_found` when the newest proof does not have the difference; `changed_meanwhile` (409).
 */
export async function decide(
  context: Pick<TenantContext, 'store' | 'clock'>,
  principal: Principal,
  month: Month,
  {
    key,
    decision,
    reason,
    was,
  }: Pick<CloseDecision, 'key' | 'decision' | 'reason'> & { readonly was?: FieldValues | undefined },
): Promise<CloseDecision> {
  const { store, clock } = context;
  const newest = (await store.listCloses({ month })).at(-1);
  const close = newest === undefined ? null : await store.readClose(newest.id);
  const exception = close === null ? undefined : exceptionsOf(close.proof).find((one) => one.key === key);
  if (exception === undefined)
    throw new Refusal('not_found', 'not_found', 'This difference no longer exists. Refresh the month.');
  const decided: CloseDecision = {
    month,
    key,
    amount: exception.amount,
    decision,
    reason,
    by: principal.username,
    at: clock.now(),
  };
  await store.addDecision(decided, (present) => {
    requireSeen(principal, was, { amount: exception.amount, present, wanted: decided });
    return {
      at: decided.at,
      actor: actorOf(principal),
      action: decision === 'accept' ? 'close.difference_accepted' : 'close.difference_carried',
      subject: month,
      before: null,
      after: { difference: key, amount: exception.amount, reason },
    };
  });
  return decided;
}

const decisionTexts = { accept: 'accepted', carry: 'carried to the next month' } as const;

/** Checks that the user saw the present amount and decision of a difference. @throws Refusal `changed_meanwhile` (409). */
function requireSeen(
  principal: Principal,
  was: FieldValues | undefined,
  {
    amount,
    present,
    wanted,
  }: {
    readonly amount: Decimal;
    readonly present: CloseDecision | null;
    readonly wanted: Pick<CloseDecision, 'decision' | 'reason'>;
  },
): void {
  try {
    // The same decision with another reason would replace the other user's.
    const isStored = present?.reason === wanted.reason;
    requireUnchanged(
      was,
      { amount, decision: present?.decision ?? null },
      isStored ? { decision: wanted.decision } : {},
    );
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile)) throw error;
    const value = present === null ? 'none' : decisionTexts[present.decision];
    throw changedRefusal(error, {
      self: actorOf(principal),
      authors: { decision: present === null ? null : { username: present.by } },
      textOf: (key) =>
        key === 'amount' ? { label: 'Difference', value: format(amount) } : { label: 'Decision', value },
    });
  }
}

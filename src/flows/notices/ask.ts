import { inParallel } from '#core/in-parallel.ts';
import { noticeRoles, sumsOf, type Notice } from '#core/notices.ts';
import { signatureKinds } from '#core/reconciliation/close.ts';
import type { Month } from '#core/reconciliation/month.ts';
import { Refusal } from '#core/refusal.ts';
import { actorOf, type Principal } from '../access/principal.ts';
import { readRun } from '../approval/read.ts';
import type { TenantContext } from '../context.ts';

/** What a user asks for: approval of the waiting documents, or the second signature of a month. */
export type Request = { readonly for: 'approval' } | { readonly for: 'signature'; readonly month: Month };

/** A user who can be asked. */
interface Askable {
  readonly username: string;
  readonly name: string;
}

/** Maximum users of a client that are listed. */
const maxUsers = 200;
/** A user is asked for the same thing once in this time. */
const quietSeconds = 600;

/**
 * Lists the users, other than the caller, who can be asked.
 *
 * @throws Refusal `nothing_waits` (409).
 */
export async function listAskable(
  context: TenantContext,
  principal: Principal,
  request: Request,
): Promise<readonly Askable[]> {
  return (await gather(context, principal, request)).users;
}

/**
 * Asks a user, or all who may, with a notice and an email.
 *
 * @param to user name; null: all who may.
 * @returns the user names of those who were asked.
 * @throws Refusal `nothing_waits` (409) when no document or month waits; `not_askable` (422) for a user who may not do
 *   it, or when there is none; `asked_recently` (409).
 */
export async function ask(
  context: TenantContext,
  principal: Principal,
  request: Request,
  to: string | null,
): Promise<readonly string[]> {
  const { store, clock } = context;
  const { users, notice } = await gather(context, principal, request);
  const chosen = users.map(({ username }) => username).filter((username) => to === null || username === to);
  if (chosen.length === 0)
    throw new Refusal('unprocessable', 'not_askable', 'No other user may do this. Invite one under Users.');
  const at = clock.now();
  const asked = await store.askUsers({
    notice: { notice, at, roles: noticeRoles(notice.kind), only: chosen },
    quietSeconds,
    event: {
      at,
      actor: actorOf(principal),
      action: request.for === 'approval' ? 'approval.asked' : 'close.signature_asked',
      subject: request.for === 'approval' ? null : request.month,
      before: null,
    },
  });
  if (asked.length === 0)
    throw new Refusal(
      'conflict',
      'asked_recently',
      'This user was asked in the last 10 minutes. Wait before you ask again.',
    );
  return asked;
}

/** Reads what waits and who may do it. */
async function gather(
  context: TenantContext,
  principal: Principal,
  request: Request,
): Promise<{ readonly notice: Notice; readonly users: readonly Askable[] }> {
  const by = principal.masquerader ?? principal.username;
  const [{ notice, except }, { people }] = await inParallel([
    request.for === 'approval' ? approvalOf(context, by) : signatureOf(context, request.month, by),
    context.store.listPeople({ page: 1, pageSize: maxUsers, state: 'active' }),
  ]);
  const roles = noticeRoles(notice.kind);
  const users = people
    .filter(({ email, role }) => roles.includes(role) && email !== by && email !== except)
    .map(({ email, name }) => ({ username: email, name }));
  return { notice, users };
}

interface Waiting {
  readonly notice: Notice;
  /** A user who may not do it. */
  readonly except: string | null;
}

async function approvalOf(context: TenantContext, by: string): Promise<Waiting> {
  const { waiting } = await readRun(context);
  if (waiting.length === 0) throw new Refusal('conflict', 'nothing_waits', 'No document waits for approval.');
  const sums = sumsOf(
    waiting.map(({ about, homeCurrency }) => ({ currency: about.currency ?? homeCurrency, amount: about.amount })),
  );
  return { notice: { kind: 'approval_asked', by, count: waiting.length, sums }, except: null };
}

async function signatureOf({ store }: TenantContext, month: Month, by: string): Promise<Waiting> {
  const [closes, signatures, { close_two_people: areTwo }] = await inParallel([
    store.listCloses({ month }),
    store.listSignatures([month]),
    store.readSettings(),
  ]);
  const given = signatures.filter(({ closeId }) => closeId === closes.at(-1)?.id);
  const [first] = given;
  const as = signatureKinds.find((kind) => given.every((one) => one.as !== kind));
  if (first === undefined || as === undefined)
    throw new Refusal('conflict', 'nothing_waits', 'This month does not wait for a second signature.');
  return { notice: { kind: 'signature_asked', by, month, as }, except: areTwo ? first.by : null };
}

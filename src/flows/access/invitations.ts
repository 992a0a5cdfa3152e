import type { Mail } from '#core/ports/mailer.ts';
import type { Person } from '#core/records/people.ts';
import type { User } from '#core/records/users.ts';
import { Refusal } from '#core/refusal.ts';
import type { ClientRole } from '#core/roles.ts';
import { addSeconds } from '#core/values/dates.ts';
import { collapsed } from '#core/values/text.ts';
import type { App, TenantContext } from '../context.ts';
import { invitationMail, invitedElsewhereMail } from '../mail/invitation-mails.ts';
import { sendMail } from '../mail/send.ts';
import { hashPassword } from './passwords.ts';
import type { Principal } from './principal.ts';
import { refuseWeak } from './reset-password.ts';
import { hashOf } from './secrets.ts';
import { throttle } from './throttle.ts';
import { eventOf } from './users.ts';

/**
 * Days for which the link of an invitation works. Long enough for vacations; the link gives access to one new account
 * only.
 */
const validDays = 7;
const tokenBytes = 24;

/** Maximum invitations in 15 minutes: per client, per client and address, and per address from all clients. */
const limits = { client: 30, address: 3, mailbox: 6 } as const;

/** An invited person, and the mail that is not sent yet. */
export interface Invited {
  readonly person: Person;
  /** Sends the mail. Call it after the response was sent, because its content depends on the users of other clients. */
  readonly mail: () => Promise<void>;
}

/**
 * Invites a person to the client; called from the Users screen. The response is the same if the address belongs to an
 * account of another client or of a system administrator. The owner of such an account is notified by mail.
 *
 * @throws Refusal `user_exists`, `invited_already` (409); `too_many_tries` (429).
 */
export async function inviteUser(
  app: App,
  context: TenantContext,
  principal: Principal,
  request: { readonly email: string; readonly name: string; readonly role: ClientRole },
): Promise<Invited> {
  const invited = { email: request.email.trim().toLowerCase(), name: collapsed(request.name), role: request.role };
  await admit(app, context, invited.email);
  const token = app.randomToken(tokenBytes);
  const at = context.clock.now();
  const person = await context.store.addInvitation(
    {
      ...invited,
      tokenHash: hashOf(token),
      by: principal.username,
      at,
      endsAt: addSeconds(at, validDays * 86_400),
    },
    eventOf(context, principal, 'user.invited', invited),
  );
  return { person, mail: () => send(app, context, principal, invited.email, token) };
}

/**
 * Sends an invitation again with a new link, even if it has expired. The old link stops working.
 *
 * @throws Refusal `not_found`; `too_many_tries` (429).
 */
export async function resendInvitation(
  app: App,
  context: TenantContext,
  principal: Principal,
  id: string,
): Promise<Invited> {
  const { email, name } = await getInvitation(context, id);
  await admit(app, context, email);
  const token = app.randomToken(tokenBytes);
  const event = eventOf(context, principal, 'user.invited_again', { email, name });
  const fresh = { tokenHash: hashOf(token), endsAt: addSeconds(context.clock.now(), validDays * 86_400) };
  if (!(await context.store.renewInvitation(id, fresh, event))) throw noInvitation();
  return { person: await getInvitation(context, id), mail: () => send(app, context, principal, email, token) };
}

/**
 * Withdraws an invitation; its link stops working.
 *
 * @throws Refusal `not_found`.
 */
export async function withdrawInvitation(context: TenantContext, principal: Principal, id: string): Promise<void> {
  const person = await getInvitation(context, id);
  const event = eventOf(context, principal, 'user.invitation_withdrawn', person);
  if (!(await context.store.removeInvitation(id, event))) throw noInvitation();
}

/**
 * Returns what the invitation of a link is for.
 *
 * @throws Refusal `link_expired` (400) when the link is unknown, used, withdrawn or expired.
 */
export async function readInvitation(
  app: App,
  token: string,
): Promise<{ readonly email: string; readonly name: string; readonly client: string }> {
  const found = await app.store.readInvitation(hashOf(token), app.clock.now());
  if (found === null) throw linkExpired();
  return { email: found.email, name: found.name, client: found.tenant.name };
}

/**
 * Turns an invitation into a user, once. The link was mailed to the address, which proves that its holder reads that
 * mailbox.
 *
 * @throws Refusal `link_expired` (400); `password_refused` (422) with the rules that are not met, after which the link
 *   still works; `username_taken` (409) when another account has taken the address meanwhile.
 */
export async function acceptInvitation(
  app: App,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<User> {
  const { store, clock } = app;
  const { email } = await readInvitation(app, token);
  refuseWeak(password, { email });
  const user = await store.acceptInvitation(hashOf(token), await hashPassword(password), clock.now());
  if (user === null || user.tenantId === null) throw linkExpired();
  await store.forTenant(user.tenantId).addAudit({
    at: clock.now(),
    actor: { username: user.username },
    action: 'user.joined',
    subject: user.username,
    before: null,
    after: { name: user.name },
  });
  return user;
}

/** Limits invitations, so that a client cannot use them to send spam. */
async function admit(app: App, { tenantId }: TenantContext, email: string): Promise<void> {
  const counters = [
    { key: `invite for ${tenantId} ${email}`, limit: limits.address },
    { key: `invite for ${tenantId}`, limit: limits.client },
  ];
  await throttle(app, counters);
}

async function send(
  app: App,
  context: TenantContext,
  { username, masquerader }: Principal,
  email: string,
  token: string,
): Promise<void> {
  try {
    await throttle(app, [{ key: `invite to ${email}`, limit: limits.mailbox }]);
  } catch (error) {
    // Invitations from several clients reached the mailbox's limit. The caller must not learn about the other clients.
    if (error instanceof Refusal) return;
    throw error;
  }
  const about = {
    to: email,
    client: (await context.store.readTenant()).name,
    inviter: masquerader === null ? username : 'A system administrator of Tallybridge',
    psa: app.descriptors.psa.label,
    appUrl: app.config.appUrl,
  };
  await sendMail(app, await mailFor(app, about, `${app.config.appUrl}/invitation/${token}`));
}

/** Returns the mail for an address. The owner of an existing account gets no link, only instructions. */
async function mailFor(app: App, about: Parameters<typeof invitationMail>[0], link: string): Promise<Mail> {
  const user = await app.store.findUser(about.to);
  // An account with an unconfirmed address gives way to the person who follows the link.
  return user?.emailIsProved === true ? invitedElsewhereMail(about) : invitationMail(about, link, validDays);
}

async function getInvitation({ store }: TenantContext, id: string): Promise<Person> {
  const person = await store.readPerson(id);
  if (person?.state !== 'invited') throw noInvitation();
  return person;
}

const noInvitation = () => new Refusal('not_found', 'not_found', 'Invitation not found.');

const linkExpired = () =>
  new Refusal(
    'invalid',
    'link_expired',
    'This invitation was used already, withdrawn, or has expired. Ask for a new one.',
  );

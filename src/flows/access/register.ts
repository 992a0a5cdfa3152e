import { isEmail } from '#core/email.ts';
import type { Psa, PsaIdentity, PsaPerson, PsaResource } from '#core/ports/psa.ts';
import { Refusal, type FieldError } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import type { PsaCredentials } from '#core/tenant.ts';
import { addSeconds } from '#core/values/dates.ts';
import { textOrNull } from '#core/values/text.ts';
import { adoptCompany } from '../connections/adopt-company.ts';
import type { App } from '../context.ts';
import { hashPassword } from './passwords.ts';
import { mailEmailProof, proofHours } from './prove-email.ts';
import { enterPsa } from './psa-access.ts';
import { refuseWeak } from './reset-password.ts';

/** Input of the first step. */
export interface Access {
  readonly apiUser: string;
  readonly apiSecret: string;
  /** Network address of the request, for throttling. */
  readonly address: string;
}

/** Input of the third step, in addition to the first. */
export interface Registration extends Access, PsaPerson {
  readonly password: string;
  /** IANA name of the time zone that dates the company's documents. */
  readonly timeZone: string;
}

/**
 * Step 1: tests the API user, and returns the company and whether it is already registered. Stores nothing.
 *
 * @throws Refusal `registration_refused` (422) by field, `too_many_tries` (429). ServiceError when the PSA is
 *   unreachable.
 */
export async function validateAccess(
  app: App,
  access: Access,
): Promise<PsaIdentity & { readonly isRegistered: boolean }> {
  const { identity } = await enter(app, access);
  return { ...identity, isRegistered: await isRegistered(app, identity) };
}

/**
 * Step 2: finds the person among the PSA's resources. Stores nothing.
 *
 * @throws as {@link validateAccess}.
 */
export async function validateResource(app: App, access: Access, person: PsaPerson): Promise<PsaResource> {
  refuseMissing([
    ['last_name', person.lastName, 'Enter your last name.'],
    ['email', person.email, 'Enter your email address.'],
  ]);
  return findPerson(app, (await enter(app, access)).psa, person);
}

/**
 * Step 3: creates the client, its first user and its PSA connection. Reads company and person from the PSA again,
 * because the caller's copies cannot be trusted. Returns a function that mails the link to prove the address; call it
 * after the response.
 *
 * @throws as {@link validateResource}, and Refusal `password_refused` (422), `company_registered` (409),
 *   `username_taken` (409).
 */
export async function completeRegistration(
  app: App,
  registration: Registration,
): Promise<{ readonly mail: () => Promise<void> }> {
  const { psa, identity, credentials } = await enter(app, registration);
  const resource = await findPerson(app, psa, registration);
  if (await isRegistered(app, identity)) throw registeredAlready(app, identity);
  refuseWeak(registration.password, { email: resource.email, needsSpecial: true });

  const passwordHash = await hashPassword(registration.password);
  const { tenant, user } = await save(app, identity, resource, { passwordHash, timeZone: registration.timeZone });
  const context = app.forTenant(tenant.id);
  const actor = { username: user.username };
  await context.store.addAudit({
    at: app.clock.now(),
    actor,
    action: 'client.registered',
    subject: tenant.name,
    before: null,
    after: {
      username: user.username,
      psaDatabase: identity.databaseId,
      psaResource: resource.id,
      timeZone: tenant.timeZone,
    },
  });
  await adoptCompany(
    app,
    context,
    {
      service: 'psa',
      externalId: identity.databaseId,
      name: identity.companyName,
      user: credentials.userName,
      credentials,
      allowsDifferentCompany: false,
    },
    actor,
  );
  return { mail: () => mailEmailProof(app, user) };
}

async function save(
  app: App,
  identity: PsaIdentity,
  resource: PsaResource,
  { passwordHash, timeZone }: { readonly passwordHash: string; readonly timeZone: string },
) {
  try {
    return await app.store.registerTenant(
      { name: identity.companyName, status: 'pending', timeZone },
      {
        username: resource.email.toLowerCase(),
        passwordHash,
        roles: ['clientadmin'],
        isActive: true,
        name: `${resource.firstName} ${resource.lastName}`.trim(),
        psaLink: { databaseId: identity.databaseId, resourceId: resource.id },
      },
      identity.databaseId,
      addSeconds(app.clock.now(), -proofHours * 3_600),
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'company_registered') throw registeredAlready(app, identity);
    throw new Refusal(error.kind, error.code, error.message, [{ key: 'email', error: error.message }]);
  }
}

/** Finds the company also if its client was created another way or is disconnected. */
const isRegistered = async (app: App, { databaseId }: PsaIdentity): Promise<boolean> =>
  (await app.store.findHolders('psa', databaseId)).some(
    ({ tenantStatus, isActive }) => tenantStatus !== 'cancelled' || isActive,
  );

const registeredAlready = (app: App, { companyName }: PsaIdentity) =>
  new Refusal(
    'conflict',
    'company_registered',
    `“${companyName}” is registered already. Log in, or ask the colleague who connected ${app.descriptors.psa.label} to invite you.`,
  );

/** Signs in at the PSA with the entered credentials. */
async function enter(
  app: App,
  { apiUser, apiSecret, address }: Access,
): Promise<{ readonly psa: Psa; readonly identity: PsaIdentity; readonly credentials: PsaCredentials }> {
  refuseMissing([
    ['api_user', apiUser, 'Enter the API key.'],
    ['api_secret', apiSecret, 'Enter the API secret.'],
  ]);
  const userName = apiUser.trim();
  const credentials = { userName, secret: apiSecret };
  const psa = app.psaFor(credentials);
  try {
    return { psa, identity: await enterPsa(app, psa, { userName, address }), credentials };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    app.logger.warn({ ...error.about }, 'a registration could not reach the PSA');
    if (error.about.next === 'try_again') throw error;
    const { label } = app.descriptors.psa;
    // Does not reveal which of the two is wrong, because that would reveal which API users exist.
    throw refused([
      { key: 'api_user', error: `${label} did not accept this key and secret.` },
      { key: 'api_secret', error: 'Check both, and that the API user is active and belongs to this integration.' },
    ]);
  }
}

async function findPerson(app: App, psa: Psa, { firstName, lastName, email }: PsaPerson): Promise<PsaResource> {
  const { label } = app.descriptors.psa;
  let resource: PsaResource | null;
  try {
    resource = await psa.findResource({ firstName: firstName.trim(), lastName: lastName.trim(), email: email.trim() });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.about.next === 'try_again') throw error;
    app.logger.warn({ ...error.about }, 'a registration could not look for the person');
    const message = `${label} did not let this API user search for people. Check its security level.`;
    throw refused([{ key: 'email', error: message }]);
  }
  // The address becomes a user name and a mail recipient, so it must be exactly one address.
  if (resource !== null && isEmail(resource.email.trim())) return { ...resource, email: resource.email.trim() };
  if (resource !== null)
    throw refused([
      { key: 'email', error: `${label} has no single valid email address for this person. Correct it there.` },
    ]);
  throw refused([
    {
      key: 'email',
      error: `${label} has no active resource with this name and email address. Enter all three as they appear there.`,
    },
  ]);
}

function refuseMissing(fields: readonly (readonly [key: string, value: string, error: string])[]): void {
  const errors = fields.flatMap(([key, value, error]) => (textOrNull(value) === null ? [{ key, error }] : []));
  if (errors.length > 0) throw refused(errors);
}

const refused = (errors: readonly FieldError[]): Refusal =>
  new Refusal('unprocessable', 'registration_refused', errors.map(({ error }) => error).join(' '), errors);

import { Refusal } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import type { PsaCredentials } from '#core/tenant.ts';
import type { PsaIdentity } from '#core/ports/psa.ts';
import {
  keepOrder,
  assertOwner,
  spendConnectTicket,
  takeOrder,
  type Browser,
  type ConnectOrder,
} from '../access/connect-ticket.ts';
import { enterPsa } from '../access/psa-access.ts';
import type { App } from '../context.ts';
import { adoptCompany } from './adopt-company.ts';

/** Time to create an API user in the PSA and to enter it. */
const formSeconds = 1_800;

/** A form that can be submitted once, and the secret for the cookie of the browser that shows it. */
export interface PsaForm {
  readonly code: string;
  readonly browserSecret: string;
  /** Name of the client to connect. */
  readonly client: string;
}

/** Input of the form that connects the PSA. */
export interface PsaFormAnswer {
  /** Network address of the request, for throttling. */
  readonly address: string;
  /** Entered values, by the `input` of each field in the PSA's descriptor. */
  readonly values: Readonly<Record<string, string>>;
  /** The user confirmed that a different company may be connected. */
  readonly isConfirmed: boolean;
}

/** Connected, or the form again with an error. */
export type PsaFormOutcome =
  | { readonly isConnected: true }
  | {
      readonly isConnected: false;
      readonly error: string;
      readonly form: PsaForm;
      /** The next form asks the user to confirm the different company. */
      readonly needsConfirmation: boolean;
    };

/**
 * Begins to connect the PSA: spends the ticket of the link.
 *
 * @throws Refusal as `spendConnectTicket`.
 */
export async function beginPsaConnection(
  app: App,
  ticket: string | undefined,
  cookie: string | null,
): Promise<PsaForm> {
  return newForm(app, await spendConnectTicket(app, 'psa', ticket, cookie));
}

/**
 * Tests the API user and connects the PSA with it.
 *
 * @throws Refusal as `takeOrder`.
 */
export async function submitPsaForm(
  app: App,
  form: Browser & { readonly code: string },
  { address, values, isConfirmed }: PsaFormAnswer,
): Promise<PsaFormOutcome> {
  const order = await takeOrder(app, 'connect_psa', form.code, form);
  const again = async (error: string, needsConfirmation = false): Promise<PsaFormOutcome> => ({
    isConnected: false,
    error,
    form: await newForm(app, order),
    needsConfirmation,
  });
  const credentials = credentialsOf(app, values);
  if (credentials === null) return again('Enter both the user name and the secret.');
  const context = app.forTenant(order.tenantId);
  let identity: PsaIdentity;
  try {
    identity = await enterPsa(app, app.psaFor(credentials), { userName: credentials.userName, address });
  } catch (error) {
    if (error instanceof Refusal) return again(error.message);
    if (!(error instanceof ServiceError)) throw error;
    context.logger.warn({ ...error.about }, 'the PSA could not be connected');
    const { label } = app.descriptors.psa;
    return again(
      error.about.next === 'try_again'
        ? `${label} cannot be reached at the moment. Please try again in a few minutes.`
        : `${label} did not accept this user name and secret. Check both, and that the user is an API user of this integration.`,
    );
  }
  const candidate = {
    service: 'psa',
    externalId: identity.databaseId,
    name: identity.companyName,
    user: credentials.userName,
    credentials,
    allowsDifferentCompany: order.allowsDifferentCompany || isConfirmed,
  } as const;
  // The PSA may be slow. A user who was logged out or suspended meanwhile must not connect anything.
  await assertOwner(app, order, form.sessionCookie);
  try {
    await adoptCompany(app, context, candidate, order.actor);
    return { isConnected: true };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return again(error.message, error.code === 'different_company');
  }
}

/** Returns the entered values under the names by which they are stored; null if a field is empty. */
function credentialsOf(app: App, values: PsaFormAnswer['values']): PsaCredentials | null {
  const { credentials: fields } = app.descriptors.psa;
  const typed = fields.map(({ name, input, isSecret }) => {
    const value = values[input] ?? '';
    return [name, isSecret ? value : value.trim()] as const;
  });
  const { userName, secret, ...more } = Object.fromEntries(typed);
  if (userName === undefined || secret === undefined) throw new Error('Impossible: a PSA without user and secret');
  return typed.some(([, value]) => value === '') ? null : { ...more, userName, secret };
}

async function newForm(app: App, order: ConnectOrder): Promise<PsaForm> {
  const tenant = await app.store.findTenant(order.tenantId);
  if (tenant === null) throw new Error('Impossible: an order of a client that is gone');
  return {
    ...(await keepOrder(app, order, { purpose: 'connect_psa', seconds: formSeconds })),
    client: tenant.name,
  };
}

import type { Kind } from '#core/kinds.ts';
import type { Settings } from '#core/settings/definitions.ts';
import type { JsonObject } from '#core/values/json.ts';
import { runTenantSession } from '#flows/sync/job/tenant-session.ts';
import type { ProductProcess, World } from '../support/world.ts';

/** An Autotask document and its expected end state. */
export interface ExpectedDocument {
  readonly kind: Kind;
  readonly psaId: number;
  /** Number of documents that QuickBooks must have, including voided ones. */
  readonly times: number;
  readonly end: 'done' | 'refused' | 'simulated' | 'cleared' | 'abandoned';
  /**
   * Amount of the first posting including tax, if its total in Autotask changed afterward. QuickBooks must follow the
   * change.
   */
  readonly postedAt?: string;
  /** Whether Autotask reused the number for another document, so the one in QuickBooks does not belong to it. */
  readonly isAnother?: boolean;
  /** The company that the document belongs to, if the client has several. */
  readonly realmId?: string;
  /** Whether QuickBooks must email the document to the customer, once. */
  readonly isMailed?: boolean;
}

/** A flow that is killed at each effect (reliability reference 1.4). */
export interface Flow {
  readonly name: string;
  readonly settings?: Partial<Settings>;
  /** Sandbox switches in addition to those of the mode. */
  readonly switches?: JsonObject;
  readonly expected: readonly ExpectedDocument[];
  /** Another company that the client connects during the flow. */
  readonly secondRealmId?: string;
  /** Administrators who get an email for each refused document. */
  readonly alerted?: readonly string[];
  /** Sets everything up, up to the first effect that counts. */
  prepare(world: World): Promise<void>;
  /** Runs a worker session; default: {@link workOn}. */
  session?: Session;
  /** Runs the step that is killed; default: a worker session. */
  act?: Session;
  /** Repeats the step, as a user does after a failure. */
  repeat?(world: World): Promise<void>;
}

/** Work of one process of the product. */
export type Session = (product: ProductProcess, worker: string) => Promise<void>;

/** Runs one worker session for the tenant. */
export const workOn: Session = ({ tenant }, worker) => runTenantSession(tenant, worker, new AbortController().signal);

/** Sets whether documents have custom numbers in QuickBooks. */
export async function setCustomNumbers({ quickbooks }: World, areCustom: boolean, realmId?: string): Promise<void> {
  const entity = realmId === undefined ? 'Preferences' : `Preferences@${realmId}`;
  const [preferences] = await quickbooks.list(entity);
  const forms = preferences?.['SalesFormsPrefs'] as JsonObject;
  await quickbooks.put(entity, 1, { SalesFormsPrefs: { ...forms, CustomTxnNumbers: areCustom } });
}

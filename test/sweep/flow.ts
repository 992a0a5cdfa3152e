import type { Kind } from '#core/kinds.ts';
import type { Settings } from '#core/settings/definitions.ts';
import type { JsonObject } from '#core/values/json.ts';
import { runTenantSession } from '#flows/sync/job/tenant-session.ts';
import type { sandboxDriver } from '../support/sandbox-driver.ts';
import type { SweepProduct } from './sweep-product.ts';

/** A client of a sandbox service's control API. */
export type SandboxDriver = ReturnType<typeof sandboxDriver>;

/** What a flow needs for its setup: the product in this process, both services, and a shared clock. */
export interface Scene {
  readonly product: SweepProduct;
  readonly autotask: SandboxDriver;
  readonly quickbooks: SandboxDriver;
  readonly advance: (seconds: number) => Promise<void>;
}

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

/** A flow that the sweep kills at each effect (reliability reference 1.4). */
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
  prepare(scene: Scene): Promise<void>;
  /** Runs a worker session; default: {@link workOn}. */
  session?(product: SweepProduct, owner: string): Promise<void>;
  /** Runs the step that is killed; default: a worker session. */
  act?(product: SweepProduct): Promise<void>;
  /** Repeats the step, as a user does after a failure. */
  repeat?(product: SweepProduct): Promise<void>;
}

/** Runs one worker session for the tenant. */
export const workOn = (product: SweepProduct, owner: string): Promise<void> =>
  runTenantSession(product.tenant, owner, new AbortController().signal);

/** Runs the flow's worker session. */
export const sessionOf = (flow: Flow, product: SweepProduct, owner: string): Promise<void> =>
  flow.session === undefined ? workOn(product, owner) : flow.session(product, owner);

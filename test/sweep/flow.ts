import type { Kind } from '#core/kinds.ts';
import type { Settings } from '#core/settings/definitions.ts';
import type { JsonObject } from '#core/values/json.ts';
import { runTenantSession } from '#flows/sync/job/tenant-session.ts';
import type { sandboxDriver } from '../support/sandbox-driver.ts';
import type { SweepProduct } from './sweep-product.ts';

/** A sandbox service as its control API shows it. */
export type SandboxDriver = ReturnType<typeof sandboxDriver>;

/** Everything that a flow is set up with: the product in this process, both services, and time for all of them. */
export interface Scene {
  readonly product: SweepProduct;
  readonly autotask: SandboxDriver;
  readonly quickbooks: SandboxDriver;
  readonly advance: (seconds: number) => Promise<void>;
}

/** One document of the PSA and the end that it must have come to once everything is quiet. */
export interface Asked {
  readonly kind: Kind;
  readonly psaId: number;
  /** How often the document was asked for; so many stand in the books because of us, voided ones included. */
  readonly times: number;
  readonly end: 'done' | 'refused' | 'simulated' | 'cleared' | 'left';
  /** Amount of its first posting, tax included, before its total in the PSA changed; the books are to follow. */
  readonly postedAt?: string;
  /** Whether the PSA has given its id to another document since: the one in the books is not its own. */
  readonly isAnother?: boolean;
  /** The company whose books it belongs to, of several. */
  readonly realmId?: string;
  /** Whether the books mail it to the customer, once. */
  readonly isMailed?: boolean;
}

/** One flow of the product that the sweep kills at each of its effects (reliability reference 1.4). */
export interface Flow {
  readonly name: string;
  readonly settings?: Partial<Settings>;
  /** Positions of the services' switches beyond those of the mode. */
  readonly switches?: JsonObject;
  readonly asked: readonly Asked[];
  /** A further company that the client is connected to on the way. */
  readonly secondRealmId?: string;
  /** Administrators who are told by mail, through a mail server, of every document that is refused. */
  readonly alerted?: readonly string[];
  /** Brings everything to the moment before the first effect that counts. */
  prepare(scene: Scene): Promise<void>;
  /** Does a worker's session for the client; default: {@link workOn}. */
  session?(product: SweepProduct, owner: string): Promise<void>;
  /** Does the step that dies half-way; default: a worker's session. */
  act?(product: SweepProduct): Promise<void>;
  /** Repeats the step as a person does who saw it fail. */
  repeat?(product: SweepProduct): Promise<void>;
}

/** One session at the tenant, as a worker process takes it. */
export const workOn = (product: SweepProduct, owner: string): Promise<void> =>
  runTenantSession(product.tenant, owner, new AbortController().signal);

/** A worker's session as a flow has it. */
export const sessionOf = (flow: Flow, product: SweepProduct, owner: string): Promise<void> =>
  flow.session === undefined ? workOn(product, owner) : flow.session(product, owner);

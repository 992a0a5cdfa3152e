import { ProcessEnded, type Failpoint } from '#flows/context.ts';
import { LeaseLost } from '#core/records/leases.ts';
import { Refusal } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import type { JsonObject } from '#core/values/json.ts';
import { createLogger } from '#main/logger.ts';
import { noEffect } from '#main/crash.ts';
import { DatabaseUnavailable } from '#store/errors.ts';
import { restoreAndStart, type Backup } from '../support/backup.ts';
import { asOwner } from '../support/database.ts';
import { startMailbox, type Mailbox } from '../support/mailbox.ts';
import { newWorld, type ProductProcess, type World, type WorldOptions } from '../support/world.ts';
import { check, type Violation } from './checker.ts';
import { collect, historySql, type Evidence, type Party } from './evidence.ts';
import { workOn, type ExpectedDocument, type Session } from './flow.ts';

/** An effect of the product: a commit or a call of a port. */
export interface Point {
  /** Counts the effects that match, from 1. */
  readonly effect: number;
  readonly moment: 'before' | 'after';
  /** Regular expression that selects effects; default: all. */
  readonly at?: string;
}

/** The world, the rules to check, and what is normal in it. */
export interface DisasterOptions {
  readonly world: WorldOptions;
  /** Sandbox switches. */
  readonly switches: JsonObject;
  /** Documents and their end states; null: unknown, so only rules for all documents are checked. */
  readonly expected: readonly ExpectedDocument[] | null;
  readonly alerted?: readonly string[];
  readonly secondRealmId?: string;
  readonly session?: Session;
  /** Errors with which a session may end. */
  readonly normalErrors?: readonly (abstract new (...given: never) => Error)[];
}

/** A process that was frozen may also find its lease lost, or its request rejected. */
const errorsAfterFreeze = [LeaseLost, DatabaseUnavailable, ServiceError, Refusal] as const;

/** Lets a lease end. */
export const leaseIsOverSeconds = 30;

type Process = ProductProcess & { hook: Failpoint };

/** A world whose processes crash and freeze, with a history and the broken rules. */
export class Disaster {
  readonly world: World;
  readonly violations: Violation[] = [];
  readonly history: string[] = [];
  /** Number of times that a process crashed, froze or lost its database. */
  deaths = 0;
  readonly #options: DisasterOptions;
  readonly #mailbox: Mailbox | null;
  readonly #log: { text: string };
  readonly #processes = new Map<string, Process>();
  #parties: readonly Party[] = [];
  #secrets: readonly string[] = [];

  private constructor(world: World, options: DisasterOptions, mailbox: Mailbox | null, log: { text: string }) {
    this.world = world;
    this.#options = options;
    this.#mailbox = mailbox;
    this.#log = log;
  }

  /** Starts the product and both services. */
  static async start(options: DisasterOptions): Promise<Disaster> {
    const mailbox = options.alerted === undefined ? null : await startMailbox();
    const log = { text: '' };
    const isShown = process.env['TEST_LOG_LEVEL'] !== undefined;
    const write = (line: string) => {
      log.text += line;
      if (isShown) process.stdout.write(line);
    };
    const world = await newWorld({
      ...options.world,
      // One process refreshes tokens while the other waits in real time for a lock timeout.
      refreshLimits: { heldMs: 500, waitMs: 5_000 },
      schema: historySql,
      logger: createLogger(process.env['TEST_LOG_LEVEL'] ?? 'debug', { write }),
      ...(mailbox !== null && { smtpUrl: mailbox.url }),
    });
    const disaster = new Disaster(world, options, mailbox, log);
    await world.quickbooks.behave(options.switches);
    await disaster.#identify();
    return disaster;
  }

  async #identify(): Promise<void> {
    const { store, tenant } = this.world;
    const [psa, accounting] = [await store.readPsaCredentials(), await store.readAccountingCredentials()];
    if (psa === null || accounting === null) throw new Error('the tenant is not connected');
    const { secondRealmId } = this.#options;
    this.#parties = [accounting.realmId, ...(secondRealmId === undefined ? [] : [secondRealmId])].map((realmId) => ({
      tenantId: tenant.tenantId,
      realmId,
      user: psa.userName,
    }));
    this.#secrets = [psa.secret, accounting.accessToken, accounting.refreshToken];
  }

  async close(): Promise<void> {
    await Promise.all([this.world.close(), this.#mailbox?.close()]);
  }

  note(what: string): void {
    this.history.push(`${this.world.clock.now()} ${what}`);
  }

  /** Works in the worker's process. */
  async work(worker: string, session = this.#session): Promise<void> {
    const product = await this.#processOf(worker);
    await this.#run(worker, () => session(product, worker), this.#options.normalErrors ?? []);
  }

  /** Works and returns the effects in order, as `name:count:moment`. */
  async record(worker: string, session = this.#session): Promise<readonly string[]> {
    const counts = new Map<string, number>();
    const effects: string[] = [];
    const product = await this.#processOf(worker);
    product.hook = (name, when) => {
      const key = `${name}:${when}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      effects.push(`${name}:${counts.get(key) ?? 0}:${when}`);
    };
    await this.work(worker, session);
    product.hook = noEffect;
    return effects;
  }

  /**
   * Works until the process crashes: this effect and all later ones fail, and its memory is lost.
   *
   * @param point.isCut the crash occurs while the point's request to QuickBooks is being sent.
   * @returns false when the point was not reached.
   */
  async crash(worker: string, point: Point & { readonly isCut?: boolean }, session = this.#session): Promise<boolean> {
    const product = await this.#processOf(worker);
    let left = point.effect;
    product.hook = async (name, when) => {
      if (left > 0 && isAt(point, name, when)) {
        left -= 1;
        if (left === 0 && point.isCut === true)
          return this.world.quickbooks.fault({ match: { method: 'POST' }, times: 1, action: { reset: 'before' } });
      }
      if (left === 0) throw new ProcessEnded(`killed ${when} ${name}`);
    };
    await this.#run(
      worker,
      () => session(product, worker),
      this.#options.normalErrors ?? [],
      () => left === 0,
    );
    if (left === 0) this.#processes.delete(worker);
    else product.hook = noEffect;
    if (left === 0) this.deaths += 1;
    return left === 0;
  }

  /**
   * Works until the process freezes: this effect and all later ones wait until the others are done.
   *
   * @param meanwhile what others do.
   * @returns false when the point was not reached.
   */
  async freeze(
    worker: string,
    point: Point,
    meanwhile: () => Promise<void>,
    session = this.#session,
  ): Promise<boolean> {
    const product = await this.#processOf(worker);
    let left = point.effect;
    const others = Promise.withResolvers<undefined>();
    const run = async (name: string, when: string) => {
      this.note(`${worker} freezes ${when} ${name}`);
      await meanwhile();
      this.note(`${worker} resumes`);
    };
    product.hook = (name, when) => {
      if (left > 0 && isAt(point, name, when)) {
        left -= 1;
        if (left === 0) run(name, when).then(() => others.resolve(undefined), others.reject);
      }
      return left === 0 ? others.promise : undefined;
    };
    await this.#run(worker, () => session(product, worker), errorsAfterFreeze);
    product.hook = noEffect;
    if (left > 0) return false;
    await others.promise;
    this.deaths += 1;
    return true;
  }

  /** Works in cycles until everything is idle. */
  async calmDown(seconds: readonly number[], worker: string, afterCycle: () => Promise<void>): Promise<void> {
    for (const one of seconds) {
      await this.world.advance(one);
      await this.work(worker);
      await afterCycle();
    }
  }

  /** Cuts all connections to the database. */
  async cutDatabase(): Promise<void> {
    this.deaths += 1;
    const others = 'datname = current_database() and pid <> pg_backend_pid()';
    await asOwner(this.world.database.url, (owner) =>
      owner.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${others}`),
    );
  }

  /** Restores the database, with other processes. */
  async restore(backup: Backup): Promise<void> {
    this.deaths += 1;
    this.#processes.clear();
    await restoreAndStart(this.world, backup);
  }

  /** Collects the evidence. */
  evidence(): Promise<Evidence> {
    const { app, database, autotask, quickbooks } = this.world;
    const { expected, alerted = [] } = this.#options;
    return collect({
      databaseUrl: database.url,
      store: app.store,
      autotask,
      quickbooks,
      parties: this.#parties,
      expected,
      alerted,
      alertMails: this.#mailbox?.mails() ?? [],
      deaths: this.deaths,
      secrets: this.#secrets,
      output: this.#log.text,
    });
  }

  /** Checks the rules, now or after all work ended. */
  async check(when: 'now' | 'quiet'): Promise<Evidence> {
    const evidence = await this.evidence();
    this.violations.push(...check(evidence, when));
    return evidence;
  }

  get #session(): Session {
    return this.#options.session ?? workOn;
  }

  async #processOf(worker: string): Promise<Process> {
    const known = this.#processes.get(worker);
    if (known !== undefined) return known;
    const started: Process = {
      hook: noEffect,
      ...(await this.world.start((name, when) => started.hook(name, when))),
    };
    this.#processes.set(worker, started);
    return started;
  }

  async #run(
    worker: string,
    work: () => Promise<void>,
    normalErrors: NonNullable<DisasterOptions['normalErrors']>,
    isDead: () => boolean = () => false,
  ): Promise<void> {
    try {
      await work();
      this.note(`${worker} has worked`);
    } catch (error) {
      const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      this.note(`${worker} ended: ${words}`);
      if (!isDead() && !normalErrors.some((one) => error instanceof one))
        this.violations.push({ rule: 'a session does not fail as a whole', detail: words });
    }
  }
}

const isAt = ({ moment, at }: Point, name: string, when: string): boolean =>
  when === moment && (at === undefined || new RegExp(at).test(name));

import { ChatReceiver } from '../chat/receiver.ts';
import { EventReceiver } from '../events/receiver.ts';
import { createClock } from '../kit/clock.ts';
import { BadInput } from '../kit/input.ts';
import { createGauge, createLimitSettings, createSlidingWindow } from '../kit/limits.ts';
import { createQuickBooksBehaviour } from './behaviour.ts';
import type { Company } from './company.ts';
import { Connections } from './connections.ts';
import { generate } from './generate.ts';
import { RequestIds } from './request-ids.ts';
import { buildWorld, worldToday } from './sample-world.ts';
import { daysBetween, pacificDate, parseInstant } from './times.ts';
import { Webhooks } from './webhooks.ts';

/** Published limits (quickbooks reference section 3); null means no limit. */
const publishedLimits = {
  requests_per_minute: 500,
  requests_per_second: 10,
  concurrent: 10,
  batches_per_minute: 40,
  reports_per_minute: 200,
} as const;

/** The time of day (Pacific) at which a given day begins, so that it is the same day in every American time zone. */
const startOfWork = '10:00:00';

/** Signs webhooks. */
export const webhookVerifier = '7d1c4a3e-sandbox-verifier-5b0f9e21';

/** The state of a running sandbox. */
export interface QuickBooksState extends ReturnType<typeof createTools> {
  companies: readonly Company[];
}

interface StateOptions {
  readonly seed?: number | undefined;
  readonly frozen?: boolean | undefined;
}

function createTools(options: StateOptions) {
  const clock = createClock({ frozen: options.frozen });
  const behaviour = createQuickBooksBehaviour();
  const limits = createLimitSettings(publishedLimits);
  const minute = createSlidingWindow(clock, 60);
  const second = createSlidingWindow(clock, 1);
  const batches = createSlidingWindow(clock, 60);
  const reports = createSlidingWindow(clock, 60);
  const underWay = createGauge();
  const memory = new RequestIds();
  const webhooks = new Webhooks(clock, behaviour, webhookVerifier);
  const chats = new ChatReceiver(
    () => clock.iso(),
    () => behaviour.get('chat_webhooks'),
  );
  const events = new EventReceiver(
    () => clock.now(),
    () => behaviour.get('event_webhooks'),
  );
  const connections = new Connections(clock, behaviour, options.seed ?? 1);
  const windows = { minute, second, batches, reports };
  return { clock, behaviour, limits, windows, underWay, memory, webhooks, chats, events, connections };
}

/** Creates the state of a sandbox without companies. */
export const createState = (options: StateOptions): QuickBooksState => ({ ...createTools(options), companies: [] });

/** Returns the companies that an app can connect to. */
export const choices = ({ companies }: QuickBooksState) =>
  companies.map((company) => ({ realmId: company.realmId, companyName: company.name }));

/** Finds a company. */
export const companyOf = ({ companies }: QuickBooksState, realmId: string | undefined) =>
  companies.find((company) => company.realmId === realmId);

/** Returns the company of a control call: `realmId` in its body or query, by default the first. */
export function chosen(state: QuickBooksState, realmId: string | undefined): Company {
  const company = realmId === undefined ? state.companies[0] : companyOf(state, realmId);
  if (company === undefined)
    throw new BadInput(
      `There is no company ${realmId ?? ''}. There are: ${state.companies.map((each) => each.realmId).join(', ')}.`,
    );
  return company;
}

/** Data of a reset. */
export interface StateData {
  /** Seed of generated data and tokens; default 1. */
  readonly seed?: number;
  /** Calendar date of the sandbox, from 10:00 Pacific time; by default the real date. */
  readonly today?: string;
  /** Reference data only. */
  readonly empty?: boolean;
  /** Data to generate in the first company. */
  readonly companies?: number;
  readonly invoices?: number;
  readonly linesPerInvoice?: number;
  readonly purchaseOrders?: number;
  readonly expenseReports?: number;
}

/** Replaces all data by fresh, deterministic data. */
export function reset(state: QuickBooksState, data: StateData): void {
  const { clock, behaviour, windows, underWay, memory, webhooks, chats, events } = state;
  const seed = data.seed ?? 1;
  const today = data.today ?? pacificDate(Date.now());
  clock.restart(data.today === undefined ? undefined : parseInstant(`${today}T${startOfWork}`));
  for (const window of Object.values(windows)) window.clear();
  underWay.clear();
  memory.clear();
  webhooks.setUrl(undefined);
  webhooks.deliveries.length = 0;
  chats.messages.length = 0;
  events.clear();
  state.companies = buildWorld({
    clock,
    behaviour,
    shiftDays: daysBetween(worldToday, today),
    isEmpty: data.empty === true,
  });
  const [first] = state.companies;
  if (first !== undefined)
    generate(first, seed, today, {
      companies: data.companies ?? 0,
      invoices: data.invoices ?? 0,
      linesPerInvoice: data.linesPerInvoice ?? 5,
      purchaseOrders: data.purchaseOrders ?? 0,
      expenseReports: data.expenseReports ?? 0,
    });
  for (const company of state.companies) company.onChange = (change) => webhooks.note(change);
}

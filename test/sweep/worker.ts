/**
 * The process that the sweep kills: the product's own work for one tenant, without the queue in front of it. It says
 * that it is ready, is told where and when to work, and works until it dies or is done.
 */
import { ClientRequest } from 'node:http';
import { LeaseLost } from '#core/ports/leases.ts';
import { Refusal } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import { crashHook } from '#main/crash.ts';
import { DatabaseUnavailable } from '#store/errors.ts';
import { sessionOf } from './flow.ts';
import { flowNamed } from './flows.ts';
import { openSweepProduct, refusedCode, type SweepTarget } from './sweep-product.ts';

/** The order that a worker process gets. */
export interface Order {
  readonly target: SweepTarget;
  readonly now: string;
  readonly flow: string;
  /** Whether it does the flow's own step or works on what another process left. */
  readonly isRecovery: boolean;
  readonly owner: string;
  /** As TALLYBRIDGE_CRASH takes it, or `half:<n>`: dies when half of the n-th write to the books has left. */
  readonly crash: string;
}

process.once('message', (order: Order) => {
  void obey(order).then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exit(refusals.some((one) => error instanceof one) ? refusedCode : 1);
    },
  );
});
const refusals = [LeaseLost, DatabaseUnavailable, ServiceError, Refusal] as const;
// Without the sweep there is nothing to do.
process.once('disconnect', () => process.exit(0));
process.send?.('ready');

/** Nothing but a stop makes an effect's hook take so long. */
const noticeableMs = 300;

async function obey({ target, now, flow: name, isRecovery, owner, crash }: Order): Promise<void> {
  const flow = flowNamed(name);
  const half = /^half:(\d+)$/.exec(crash);
  if (half !== null) dieInHalf(Number(half[1]), new URL(target.quickbooksUrl).host);
  const hook = crashHook(crash);
  const product = await openSweepProduct(target, {
    now,
    effect(name, when) {
      const before = performance.now();
      void hook(name, when);
      const stoodStillMs = performance.now() - before;
      // The clock of a process that is stopped goes on: a second is enough for more than any of our waits.
      if (stoodStillMs > noticeableMs) product.clock.advance(stoodStillMs);
    },
  });
  if (isRecovery || flow.act === undefined) await sessionOf(flow, product, owner);
  else await flow.act(product);
  await product.close();
}

/** Sends the first half of the body of the n-th write to a host, after which the process is gone (row K5). */
function dieInHalf(n: number, host: string): void {
  const { prototype } = ClientRequest;
  const whole: unknown = Reflect.get(prototype, 'end');
  if (typeof whole !== 'function') throw new Error('a request cannot be ended');
  const sent = (request: ClientRequest, body: unknown): ClientRequest => {
    Reflect.apply(whole, request, [body]);
    return request;
  };
  let left = n;
  prototype.end = function end(this: ClientRequest, body?: unknown): ClientRequest {
    const isWrite = this.method === 'POST' && this.getHeader('host') === host && this.path.startsWith('/v3/');
    if (!isWrite || typeof body !== 'string') return sent(this, body);
    left -= 1;
    if (left > 0) return sent(this, body);
    const bytes = Buffer.from(body);
    this.setHeader('Content-Length', bytes.length);
    this.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => process.kill(process.pid, 'SIGKILL'));
    return this;
  };
}

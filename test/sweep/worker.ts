/**
 * The process that the sweep kills: the product's work for one tenant, without the queue. It reports that it is ready,
 * receives a task, and works until it is killed or done.
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

export interface WorkerTask {
  readonly target: SweepTarget;
  readonly now: string;
  readonly flow: string;
  /** Whether to run the flow's step or to finish the work of another process. */
  readonly isRecovery: boolean;
  readonly owner: string;
  /** As in TALLYBRIDGE_CRASH, or `half:<n>`: dies after half of the n-th write to QuickBooks was sent. */
  readonly crash: string;
}

process.once('message', (task: WorkerTask) => {
  void runTask(task).then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exit(refusals.some((one) => error instanceof one) ? refusedCode : 1);
    },
  );
});
const refusals = [LeaseLost, DatabaseUnavailable, ServiceError, Refusal] as const;
// The parent process ended.
process.once('disconnect', () => process.exit(0));
process.send?.('ready');

/** An effect's hook takes this long only when the process was frozen. */
const minFrozenMs = 300;

async function runTask({ target, now, flow: name, isRecovery, owner, crash }: WorkerTask): Promise<void> {
  const flow = flowNamed(name);
  const half = /^half:(\d+)$/.exec(crash);
  if (half !== null) dieInHalf(Number(half[1]), new URL(target.quickbooksUrl).host);
  const hook = crashHook(crash);
  const product = await openSweepProduct(target, {
    now,
    effect(name, when) {
      const before = performance.now();
      void hook(name, when);
      const elapsedMs = performance.now() - before;
      // The clock moves on while the process is frozen. Half a second exceeds every wait of the product.
      if (elapsedMs > minFrozenMs) product.clock.advance(elapsedMs);
    },
  });
  if (isRecovery || flow.act === undefined) await sessionOf(flow, product, owner);
  else await flow.act(product);
  await product.close();
}

/** Sends the first half of the n-th write to a host, then kills the process (row K5). */
function dieInHalf(n: number, host: string): void {
  const { prototype } = ClientRequest;
  const originalEnd: unknown = Reflect.get(prototype, 'end');
  if (typeof originalEnd !== 'function') throw new Error('ClientRequest.end is missing');
  const sent = (request: ClientRequest, body: unknown): ClientRequest => {
    Reflect.apply(originalEnd, request, [body]);
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

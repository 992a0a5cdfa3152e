/** Child process of the sweep: runs cases one after the other and reports what came of each. */
import { newRunner, type Case, type Program } from './run.ts';
import type { Server } from './server.ts';
import type { Violation } from './checker.ts';

/** The first order says where to work, every other one is a case; null ends the process. */
export type ToCaseRunner = { readonly server: Server; readonly program: Program } | { readonly wanted: Case } | null;

/** The result of a case. */
export interface FromCaseRunner {
  readonly violations: readonly Violation[];
  readonly missed: readonly string[];
  readonly effects: readonly string[];
  /** When the harness itself failed: no verdict on the product. */
  readonly failure: string | null;
}

let runner: ReturnType<typeof newRunner> | undefined;

process.on('message', (sent: { readonly message: ToCaseRunner }) => {
  void obey(sent.message);
});

// The parent process is gone: so are its services, and the process that was kept warm.
process.once('disconnect', () => void runner?.close().then(() => process.exit(0)));

async function obey(message: ToCaseRunner): Promise<void> {
  if (message === null) {
    process.disconnect?.();
    return;
  }
  if ('server' in message) {
    runner = newRunner(message.server, message.program);
    return;
  }
  let result: FromCaseRunner = { violations: [], missed: [], effects: [], failure: null };
  try {
    if (runner === undefined) throw new Error('a case runner of the sweep was not told where to work');
    const { violations, missed, effects } = await runner.run(message.wanted);
    result = { violations, missed, effects, failure: null };
  } catch (error) {
    result = { ...result, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  process.send?.(result);
}

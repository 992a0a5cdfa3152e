/** Child process of the sweep. Runs cases one after another and reports each result. */
import { newRunner, type Case, type Program } from './run.ts';
import type { Server } from './server.ts';
import type { Violation } from './checker.ts';

/** The first message names the server and program, each later one a case. null ends the process. */
export type ToCaseRunner = { readonly server: Server; readonly program: Program } | { readonly wanted: Case } | null;

export interface FromCaseRunner {
  readonly violations: readonly Violation[];
  readonly missed: readonly string[];
  readonly effects: readonly string[];
  /** Error of the test harness; the case then has no verdict. */
  readonly failure: string | null;
}

let runner: ReturnType<typeof newRunner> | undefined;

process.on('message', (sent: { readonly message: ToCaseRunner }) => {
  void runTask(sent.message);
});

// The parent process ended, so this process ends with its services and the idle worker.
process.once('disconnect', () => void runner?.close().then(() => process.exit(0)));

async function runTask(message: ToCaseRunner): Promise<void> {
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
    if (runner === undefined) throw new Error('the first message to a case runner must name the server');
    const { violations, missed, effects } = await runner.run(message.wanted);
    result = { violations, missed, effects, failure: null };
  } catch (error) {
    result = { ...result, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  process.send?.(result);
}

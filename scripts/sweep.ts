/**
 * The crash sweep: kills the product at every effect of every flow, restarts it, and checks both services' histories
 * and the database against fourteen invariants. See docs/how-to/run-the-crash-sweep.md.
 *
 *   npm run sweep                                    everything
 *   npm run sweep -- --flow=void --requestid=none    one flow, one mode
 *   npm run sweep -- --crash=post:void:1:after --flow=void
 *   npm run sweep -- --every=5                       every fifth case, for a quick check
 */
import { fork, type ChildProcess } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleWorker } from '#test/sweep/bundle.ts';
import { casesOf } from '#test/sweep/cases.ts';
import { violationText } from '#test/sweep/checker.ts';
import { flowNamed, flows } from '#test/sweep/flows.ts';
import type { Case, Program } from '#test/sweep/run.ts';
import { startServer, type Server } from '#test/sweep/server.ts';
import type { FromCaseRunner, ToCaseRunner } from '#test/sweep/case-runner.ts';

const root = resolve(import.meta.dirname, '..');
/** Twice the number of cores of a small machine: a stalled or waiting case leaves its core to another. */
const runnerCount = 4;
const requestids = ['all', 'none'] as const;
const options = {
  flow: { type: 'string', multiple: true },
  requestid: { type: 'string' },
  crash: { type: 'string', multiple: true },
  every: { type: 'string', default: '1' },
} as const;

interface Slot {
  run(wanted: Case): Promise<FromCaseRunner>;
  end(): Promise<void>;
}

function startSlot(server: Server, program: Program): Slot {
  const child: ChildProcess = fork(join(root, 'test', 'sweep', 'case-runner.ts'), {
    cwd: root,
    execArgv: [],
    env: { ...process.env, NODE_COMPILE_CACHE: program.compiled },
  });
  // The exit handler reports a process that has already ended.
  const send = (message: ToCaseRunner): void => void (child.connected && child.send({ message }));
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  send({ server, program });
  return {
    run: (wanted) =>
      new Promise((done, refuse) => {
        const gone = () => refuse(new Error(`a sweep runner ended during ${sentenceOf(wanted)}`));
        child.once('exit', gone);
        child.once('message', (result: FromCaseRunner) => {
          child.off('exit', gone);
          done(result);
        });
        send({ wanted });
      }),
    async end() {
      send(null);
      await ended;
    },
  };
}

const sentenceOf = ({ flow, requestid, crashes }: Case): string =>
  `${flow}, requestid ${requestid}, ${crashes.length === 0 ? 'not killed' : `killed at ${crashes.join(' and ')}`}`;

async function main(): Promise<number> {
  const { values } = parseArgs({ options });
  const names = values.flow ?? flows.map(({ name }) => name);
  const modes = requestids.filter((one) => values.requestid === undefined || values.requestid === one);
  for (const name of names) flowNamed(name);
  const began = performance.now();
  const [server, bundle] = await Promise.all([startServer(), bundleWorker()]);
  // An interrupted sweep leaves no processes or files behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void Promise.all([server.close(), bundle.remove()]).then(() => process.exit(1)));
  const runners = Array.from({ length: runnerCount }, () =>
    startSlot(server, { worker: bundle.worker, compiled: bundle.compiled }),
  );
  const tally = { runs: 0, violations: 0, missed: 0, failures: 0 };

  async function runAll(cases: readonly Case[], note: (wanted: Case, result: FromCaseRunner) => void): Promise<void> {
    const left = [...cases];
    await Promise.all(
      runners.map(async (runner) => {
        for (let wanted = left.shift(); wanted !== undefined; wanted = left.shift()) {
          const result = await runner.run(wanted);
          tally.runs += 1;
          tally.violations += result.violations.length;
          tally.missed += result.missed.length;
          if (result.failure !== null) tally.failures += 1;
          if (result.failure !== null || result.violations.length > 0) {
            console.log(`\n✗ ${sentenceOf(wanted)}`);
            if (result.failure !== null) console.log(`  the harness failed: ${result.failure}`);
            for (const one of result.violations) console.log(`  ${violationText(one)}`);
          }
          note(wanted, result);
        }
      }),
    );
  }

  try {
    const recorded: Case[] = names.flatMap((flow) => modes.map((requestid) => ({ flow, requestid, crashes: [] })));
    const cases: Case[] = [];
    await runAll(recorded, ({ flow, requestid }, { effects }) => {
      if (values.crash === undefined) cases.push(...casesOf(flow, requestid, effects));
    });
    if (values.crash !== undefined) cases.push(...recorded.map((one) => ({ ...one, crashes: values.crash ?? [] })));
    const chosen = cases.filter((_, at) => at % Number(values.every) === 0);
    console.log(`${chosen.length} cases of ${names.length} flows`);
    const perFlow = new Map<string, number>();
    let reported = performance.now();
    await runAll(chosen, ({ flow }) => {
      perFlow.set(flow, (perFlow.get(flow) ?? 0) + 1);
      if (performance.now() - reported < 30_000) return;
      reported = performance.now();
      console.log(`  ${tally.runs} runs, ${Math.round((performance.now() - began) / 1_000)} s`);
    });
    for (const [flow, runs] of perFlow) console.log(`  ${flow}: ${runs}`);
  } finally {
    await Promise.all(runners.map((runner) => runner.end()));
    await Promise.all([server.close(), bundle.remove()]);
  }
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(
    `${tally.runs} runs in ${seconds} s: ${tally.violations} violations, ${tally.missed} crashes without their effect, ${tally.failures} harness failures`,
  );
  return tally.violations + tally.failures === 0 ? 0 : 1;
}

process.exitCode = await main();

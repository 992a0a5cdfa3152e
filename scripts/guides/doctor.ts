import { GuideError } from './documents.ts';
import { runQuoted, writeEnvironment, type Trial } from './trial.ts';

const command = 'tallybridge doctor';
const doctor = ['docs/operate/commands.md', 'Doctor'] as const;

/** A wrong value of a variable, and what the doctor must find. */
const planted: readonly (readonly [variable: string, value: string, finding: RegExp])[] = [
  ['QBO_CLIENT_SECRET', 'another secret', /✗ QuickBooks +Intuit does not accept/],
  ['TRUST_PROXY', '', /✗ proxy +All users share/],
  ['SMTP_URL', 'smtp://127.0.0.1:4099', /✗ mail +The mail server does not answer/],
  ['AUTOTASK_URL', 'http://127.0.0.1:4099/', /✗ Autotask +No response/],
];

/** Runs the doctor on a good deployment: it must find nothing. */
export async function tryDoctor(trial: Trial): Promise<void> {
  await runQuoted(trial, doctor, command, {
    check: (output) => {
      if (!output.includes('No problem was found.') || /^!/m.test(output)) throw new GuideError(`findings: ${output}`);
    },
  });
}

/** Plants mistakes, which the doctor must all find, and reverts them. */
export async function tryPlanted(trial: Trial): Promise<void> {
  const good = new Map(trial.variables);
  const [document, heading] = doctor;
  await trial.transcript.step({ document, heading }, 'Planted mistakes', async () => {
    for (const [name, value] of planted) trial.variables.set(name, value);
    writeEnvironment(trial);
    return planted.map(([name, value]) => `${name}=${value}`).join('\n');
  });
  await runQuoted(trial, doctor, command, {
    codes: [1],
    check: (output) => {
      const missed = planted.filter(([, , finding]) => !finding.test(output)).map(([name]) => name);
      if (missed.length > 0) throw new GuideError(`not found: ${missed.join(', ')}\n${output}`);
    },
  });
  for (const [name, value] of good) trial.variables.set(name, value);
  writeEnvironment(trial);
}

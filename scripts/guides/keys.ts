import { execFileSync } from 'node:child_process';
import { GuideError, sectionOf } from './documents.ts';
import { syncNew } from './syncing.ts';
import { runLine, writeEnvironment, type Trial } from './trial.ts';

const document = 'docs/operate/keys.md';
const steps = 3;

/** Rotates SECRET_KEY in the documented steps, with a sync after each restart of all processes. */
export async function followRotation(trial: Trial, clientId: string): Promise<void> {
  const section = sectionOf(document, 'SECRET_KEY');
  const values = [...section.text.matchAll(/^\d\. `SECRET_KEY=([\w,]+)`/gm)].map(([, value = '']) => value);
  if (values.length !== steps) throw new GuideError(`${document}, “SECRET_KEY” has ${values.length} steps.`);
  const oldKey = trial.variables.get('SECRET_KEY') ?? '';
  const newKey = execFileSync('openssl', ['rand', '-base64', '32'], { encoding: 'utf8' }).trim();
  for (const value of values) {
    await trial.transcript.step(section, `SECRET_KEY=${value}`, async () => {
      trial.variables.set('SECRET_KEY', value.replace('old', oldKey).replace('new', newKey));
      writeEnvironment(trial);
      return '';
    });
    for (const name of trial.machine.services()) await runLine(trial, section, `systemctl restart ${name}`);
    await syncNew(trial, clientId, 2);
  }
}

import { execFileSync } from 'node:child_process';
import { blockOf, GuideError, sectionOf } from './documents.ts';
import type { DatabaseServer } from './postgres.ts';
import { assertPostedOnce, syncNew } from './syncing.ts';
import { newTranscript } from './transcript.ts';
import { adminPassword, createDatabase, runLine, writeEnvironment, type Trial } from './trial.ts';

const document = 'docs/operate/backup.md';

/** Moves the client to another deployment: the same program with another database and another SECRET_KEY. */
export async function followMove(trial: Trial, clientId: string, other: DatabaseServer): Promise<void> {
  const section = sectionOf(document, 'Move a client');
  const [moveOut, moveIn, remove, ...rest] = blockOf(section);
  if (moveOut === undefined || moveIn === undefined || remove === undefined || rest.length > 0)
    throw new GuideError(`${document}, “Move a client” has other commands than the three that are tried.`);
  const before = await syncNew(trial, clientId, 5);
  await runLine(trial, section, moveOut, { replace: { ID: clientId } });

  const old = new Map(trial.variables);
  await trial.transcript.step(section, 'The new deployment', async () => {
    await createDatabase({ ...trial, transcript: newTranscript(() => undefined) }, other);
    const key = execFileSync('openssl', ['rand', '-base64', '32'], { encoding: 'utf8' }).trim();
    trial.variables.set('SECRET_KEY', key);
    await switchDeployment(trial, 'tallybridge migrate && tallybridge admin create ops@example.com');
    return 'the same program with another database and SECRET_KEY';
  });
  await runLine(trial, section, moveIn, { env: { SOURCE_SECRET_KEY: old.get('SECRET_KEY') ?? '' } });
  const after = await syncNew(trial, clientId, 5);

  await trial.transcript.step(section, 'The old deployment', async () => {
    for (const [name, value] of old) trial.variables.set(name, value);
    await switchDeployment(trial, 'tallybridge client list');
    return '';
  });
  const replace = { ID: clientId, '"Wingtip IT"': '"Northwind IT Services"' };
  await runLine(trial, section, remove, { replace });
  await assertPostedOnce(trial.outside, [...before, ...after]);
}

/** Restarts all processes with the present variables. @param command runs while none of them does. */
async function switchDeployment(trial: Trial, command: string): Promise<void> {
  const services = trial.machine.services().join(' ');
  await trial.machine.run(`systemctl stop ${services}`);
  writeEnvironment(trial);
  const { code, output } = await trial.machine.run(command, { env: { ADMIN_PASSWORD: adminPassword } });
  if (code !== 0) throw new GuideError(`${command}: ${output}`);
  await trial.machine.run(`systemctl start ${services}`);
}

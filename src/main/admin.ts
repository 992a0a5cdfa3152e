/** `tallybridge admin`: commands about system administrators and lost secrets. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Refusal } from '#core/refusal.ts';
import { createSysadmin } from '#flows/access/create-sysadmin.ts';
import { resetSecondFactor } from '#flows/access/totp-setup.ts';
import { counted, findLostSecrets, forgetSecretsOf } from '#store/secrets.ts';
import { forOperator, type Outcome } from './operator-context.ts';

/** Creates a system administrator. The password is read from `ADMIN_PASSWORD`, or from the terminal. */
export const createAdmin = (email: string): Promise<Outcome> =>
  forOperator(async ({ store }) => {
    const { username } = await createSysadmin({ store }, { email, password: await askPassword() });
    return { text: `${username} is a system administrator now.`, data: { username } };
  });

async function askPassword(): Promise<string> {
  const given = process.env['ADMIN_PASSWORD'];
  if (given !== undefined && given !== '') return given;
  if (!process.stdin.isTTY) throw new Refusal('invalid', 'no_password', 'There is no terminal: set ADMIN_PASSWORD.');
  const [first, second] = await askHidden(['Password: ', 'The same again: ']);
  if (first === undefined || second === undefined) throw new Refusal('invalid', 'no_password', 'No user was created.');
  if (first !== second) throw new Refusal('unprocessable', 'password_refused', 'Passwords do not match.');
  return first;
}

/** Reads a line for each question, without showing it; returns fewer lines if the user ends with Ctrl-C or Ctrl-D. */
async function askHidden(questions: readonly string[]): Promise<readonly string[]> {
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: discard, terminal: true });
  const answers: string[] = [];
  process.stderr.write(questions[0] ?? '');
  for await (const line of lines) {
    process.stderr.write('\n');
    answers.push(line);
    if (answers.length === questions.length) break;
    process.stderr.write(questions[answers.length] ?? '');
  }
  return answers;
}

/** Removes the authenticator app and the recovery codes of a user who lost them. */
export const resetFactor = (email: string): Promise<Outcome> =>
  forOperator(async ({ store, clock, mailer, logger, appUrl }) => {
    const done = await resetSecondFactor({ store, clock, mailer, logger, appUrl }, email);
    if (done === null) throw new Refusal('not_found', 'not_found', `There is no user “${email}”.`);
    const text = done.wasOn
      ? `${email} logs in with the password alone now. Tallybridge sends an email about it.`
      : `${email} had no second factor.`;
    return { text, data: { username: email, wasOn: done.wasOn } };
  });

/** Lists answers of the services that contradict what the program relies on, newest first. */
export const listUnexpected = (): Promise<Outcome> =>
  forOperator(async ({ store }) => {
    const answers = await store.listUnexpected();
    const labels = { psa: 'Autotask', accounting: 'QuickBooks' } as const;
    const lines = answers.map(
      ({ service, fact, kind, name, operation, shape, count, firstAt, lastAt }) =>
        `${labels[service]} ${fact} ${kind} “${name}”, ${count} times since ${firstAt}, last ${lastAt}\n  ${operation}: ${shape}`,
    );
    return {
      text: lines.length === 0 ? 'No answer of Autotask or QuickBooks contradicts a known fact.' : lines.join('\n'),
      data: { answers: answers.map((one) => ({ ...one })) },
    };
  });

/** Continues without a SECRET_KEY that was lost permanently. */
export const forgetLostSecrets = (answer: string): Promise<Outcome> =>
  forOperator(
    async ({ store, clock, mailer, logger, database, vault, appUrl }) => {
      if (answer !== 'yes') throw new Refusal('invalid', 'not_confirmed', 'Add “yes”: this cannot be undone.');
      const lost = await findLostSecrets(database, vault);
      const data = { clients: lost.tenantIds.length, users: lost.userIds.length };
      if (lost.rootKeyIds.length === 0)
        return { text: 'Nothing is lost: SECRET_KEY decrypts all stored secrets.', data };
      for (const userId of lost.userIds) {
        const user = await store.findUserById(userId);
        if (user !== null) await resetSecondFactor({ store, clock, mailer, logger, appUrl }, user.username);
      }
      await forgetSecretsOf(database, lost.tenantIds);
      for (const tenantId of lost.tenantIds)
        await store.forTenant(tenantId).addAudit({
          at: clock.now(),
          actor: { username: 'Tallybridge operator' },
          action: 'connection.secrets_lost',
          subject: 'SECRET_KEY',
          before: null,
          after: null,
        });
      const text = `Connections to make again: ${counted(lost.tenantIds.length, 'client')}. Logging in with the password alone: ${counted(lost.userIds.length, 'user')}.`;
      return { text, data };
    },
    { allowsLostSecrets: true },
  );

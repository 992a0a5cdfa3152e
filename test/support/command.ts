import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { vi } from 'vitest';
import type { Outcome } from '#main/operator-context.ts';
import { withCompiledCode } from './compiled-code.ts';
import { testSecretKey } from './database.ts';

const cli = join(resolve(import.meta.dirname, '..', '..'), 'src', 'main', 'cli.ts');

export interface Ended {
  readonly code: number;
  readonly output: string;
}

type Variables = Readonly<Record<string, string>> & { readonly folder: string };

/** Returns the variables of a deployment whose data is in a folder. */
const deploymentOf = ({ folder, ...variables }: Variables): Readonly<Record<string, string>> => ({
  DATA_DIR: folder,
  SECRET_KEY: testSecretKey,
  AUTOTASK_INTEGRATION_CODE: 'code',
  QBO_CLIENT_ID: 'id',
  QBO_CLIENT_SECRET: 'secret',
  QBO_WEBHOOK_VERIFIER: 'verifier',
  ...variables,
});

/** Runs `tallybridge …` in a folder, with the variables of a deployment. */
export const runCommand = (words: readonly string[], variables: Variables): Promise<Ended> =>
  new Promise((ended) => {
    const env = { PATH: process.env['PATH'] ?? '', ...withCompiledCode, ...deploymentOf(variables) };
    const child = execFile(process.execPath, [cli, ...words], { env, cwd: variables.folder }, (error, stdout, stderr) =>
      ended({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` }),
    );
    child.stdin?.end();
  });

/** Runs the code of a command in this process, which is faster. */
export async function runHere(command: () => Promise<Outcome>, variables: Variables): Promise<Ended> {
  for (const [name, value] of Object.entries(deploymentOf(variables))) vi.stubEnv(name, value);
  try {
    const { text, exitCode = 0 } = await command();
    return { code: exitCode, output: `${text}\n` };
  } catch (error) {
    return { code: 1, output: `${error instanceof Error ? error.message : String(error)}\n` };
  } finally {
    vi.unstubAllEnvs();
  }
}

import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { withCompiledCode } from './compiled-code.ts';
import { testSecretKey } from './database.ts';

const cli = join(resolve(import.meta.dirname, '..', '..'), 'src', 'main', 'cli.ts');

export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Runs `tallybridge …` in a folder, with the variables of a deployment. */
export const runCommand = (
  words: readonly string[],
  { folder, ...variables }: Readonly<Record<string, string>> & { readonly folder: string },
): Promise<Ended> =>
  new Promise((ended) => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      DATA_DIR: folder,
      SECRET_KEY: testSecretKey,
      AUTOTASK_INTEGRATION_CODE: 'code',
      QBO_CLIENT_ID: 'id',
      QBO_CLIENT_SECRET: 'secret',
      QBO_WEBHOOK_VERIFIER: 'verifier',
      ...withCompiledCode,
      ...variables,
    };
    const child = execFile(process.execPath, [cli, ...words], { env, cwd: folder }, (error, stdout, stderr) =>
      ended({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` }),
    );
    child.stdin?.end();
  });

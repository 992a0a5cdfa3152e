/** `npx tallybridge-sandbox`: runs both sandboxes on their ports until Ctrl-C. */
import { parseArgs } from 'node:util';
import { startAutotaskSandbox } from './autotask/server.ts';
import { defaultUser } from './autotask/users.ts';
import { BadInput } from './kit/input.ts';
import { startQuickBooksSandbox } from './quickbooks/server.ts';
import { isDate } from './quickbooks/times.ts';

const usage = `Usage: tallybridge-sandbox [options]
  --autotask-port N     where the Autotask stand-in listens (4010, or SANDBOX_AUTOTASK_PORT); 0 picks a free port
  --quickbooks-port N   where the QuickBooks Online stand-in listens (4020, or SANDBOX_QBO_PORT)
  --host ADDRESS        address that both listen on (127.0.0.1, or SANDBOX_HOST)
  --today YYYY-MM-DD    the date of the sample data; default: today
  --month-end           a real month's odd cases beside the sample world
  --empty               reference data only, no documents`;

const print = (text: string): unknown => process.stdout.write(`${text}\n`);
const warn = (text: string): unknown => process.stderr.write(`${text}\n`);

interface Settings {
  readonly autotaskPort: number;
  readonly quickbooksPort: number;
  readonly host: string;
  readonly today: string | undefined;
  readonly hasMonthEnd: boolean;
  readonly isEmpty: boolean;
}

function portOf(text: string, name: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new BadInput(`${name} must be a port, 0 to 65535.`);
  return port;
}

/**
 * Reads settings from the command line, then the environment. Throws BadInput, or a TypeError for an unknown option.
 */
function readSettings(words: readonly string[], env: NodeJS.ProcessEnv): Settings {
  const { values } = parseArgs({
    args: [...words],
    options: {
      'autotask-port': { type: 'string', default: env['SANDBOX_AUTOTASK_PORT'] ?? '4010' },
      'quickbooks-port': { type: 'string', default: env['SANDBOX_QBO_PORT'] ?? '4020' },
      host: { type: 'string', default: env['SANDBOX_HOST'] ?? '127.0.0.1' },
      today: { type: 'string' },
      'month-end': { type: 'boolean', default: false },
      empty: { type: 'boolean', default: false },
    },
  });
  if (values.today !== undefined && !isDate(values.today)) throw new BadInput('--today must be a date, YYYY-MM-DD.');
  return {
    autotaskPort: portOf(values['autotask-port'], '--autotask-port'),
    quickbooksPort: portOf(values['quickbooks-port'], '--quickbooks-port'),
    host: values.host,
    today: values.today,
    hasMonthEnd: values['month-end'],
    isEmpty: values.empty,
  };
}

const isPortTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES');

/** Starts both services and prints their addresses; returns the exit code after a signal has stopped them. */
async function serve({ autotaskPort, quickbooksPort, host, today, hasMonthEnd, isEmpty }: Settings): Promise<number> {
  const autotask = await startAutotaskSandbox({
    port: autotaskPort,
    host,
    today,
    empty: isEmpty,
    month_end: hasMonthEnd,
  });
  try {
    const quickbooks = await startQuickBooksSandbox({
      port: quickbooksPort,
      host,
      empty: isEmpty,
      ...(today === undefined ? {} : { today }),
    });
    print(`Autotask           ${autotask.url}/__sandbox
  zone service     ${autotask.url}/ATServicesRest/V1.0/zoneInformation?user=${defaultUser.userName}
  API user         ${defaultUser.userName} · ${defaultUser.secret} · ${defaultUser.apiIntegrationCode}
QuickBooks Online  ${quickbooks.url}/__sandbox
  discovery        ${quickbooks.url}/.well-known/openid_configuration
  client           ${quickbooks.credentials.clientId} · ${quickbooks.credentials.clientSecret}
Made-up data in memory${host === '127.0.0.1' ? ', on this machine only' : ''}. Ctrl-C ends both.`);
    await new Promise<void>((resolve) => {
      process.once('SIGINT', () => resolve());
      process.once('SIGTERM', () => resolve());
    });
    await quickbooks.close();
  } finally {
    await autotask.close();
  }
  return 0;
}

/**
 * Runs the command.
 *
 * @param words the arguments
 * @returns the exit code: 0 when it was stopped or help was asked for, 1 when a port cannot be used, 2 for an invalid command line
 */
export async function runSandbox(words: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  if (words.includes('--help') || words.includes('-h')) {
    print(usage);
    return 0;
  }
  let settings: Settings;
  try {
    settings = readSettings(words, env);
  } catch (error) {
    if (!(error instanceof BadInput || error instanceof TypeError)) throw error;
    warn(`${error.message}\n\n${usage}`);
    return 2;
  }
  try {
    return await serve(settings);
  } catch (error) {
    if (!isPortTaken(error)) throw error;
    warn(`A port is in use: ${(error as Error).message}. Choose others with --autotask-port and --quickbooks-port.`);
    return 1;
  }
}

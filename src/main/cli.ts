/**
 * `tallybridge …`: starts the product or runs an operator command. Loaded by
 * bin/tallybridge.cjs, which has checked the version of Node.
 */
import { join } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { Refusal } from '#core/refusal.ts';
import type { Outcome } from './operator-context.ts';
import { ConfigurationError } from './config.ts';
import { readEnvironmentFile } from './environment-file.ts';
import { buildScreens, isBuilt, isOutdated } from './screens.ts';
import { sentenceOf } from './start-up.ts';
import { readVersion } from './version.ts';

/** The command could not be understood. */
const usageError = 2;
const root = join(import.meta.dirname, '..', '..');
const wantsJson = process.argv.includes('--json');

/** Starts the product in this process, so that a signal to it ends the product. */
async function start({ build }: { readonly build?: boolean }): Promise<void> {
  if (build === true) {
    if (await isOutdated(root)) {
      console.log('  Building the screens, up to a minute…');
      await buildScreens(root);
    }
  } else if (process.env['TALLYBRIDGE_ROLE'] !== 'worker' && !isBuilt(root))
    throw new ConfigurationError('The screens are not built: run “npm ci” and “npm run build”, then start again.');
  await import('./start.ts');
}

/** Prints the result of a command, and sets the exit code. */
function report({ text, data, exitCode = 0 }: Outcome): void {
  console.log(wantsJson ? JSON.stringify({ success: exitCode === 0, message: text, data }) : text);
  process.exitCode = exitCode;
}

/** Defines a command that prints an outcome. Its code is loaded when it runs. */
function operatorCommand(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).option('--json', 'print the result as JSON');
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

const collected = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value];

interface KeyOptions {
  readonly encrypt?: readonly string[];
  readonly identity?: string;
  readonly passphraseFile?: string;
}

const keysOf = ({ encrypt, identity, passphraseFile }: KeyOptions) => ({
  recipients: encrypt,
  identityFile: identity,
  passphraseFile,
});

const program = new Command('tallybridge')
  .description('Syncs a PSA with QuickBooks Online.')
  .version(readVersion(), '-V, --version')
  .exitOverride()
  .showHelpAfterError('Add --help for the usage.')
  .addHelpText(
    'after',
    `
Exit codes: 0 done, 1 failed (the message says what to do), 2 the command was not understood.
Settings are environment variables, or in .env in the current folder: see docs/operate/configuration.md.`,
  );

program
  .command('start')
  .description('start the product: server and worker, or the one in TALLYBRIDGE_ROLE')
  .option('--build', 'build changed screens first, for development')
  .option('--migrate', 'migrate the database first; a demo and an embedded database always do')
  .action(start);

program
  .command('worker')
  .description('start a worker, which syncs and serves no screens')
  .action(() => {
    process.env['TALLYBRIDGE_ROLE'] = 'worker';
    return start({});
  });

operatorCommand(program, 'migrate', 'apply the pending migrations; processes of the previous release can keep running')
  .option('--dry-run', 'only list the pending migrations')
  .option('--lock-timeout <seconds>', 'how long a migration waits for a lock of another transaction', wholeNumber, 10)
  .action(async ({ dryRun, lockTimeout }: { readonly dryRun?: true; readonly lockTimeout: number }) =>
    report(
      await (
        await import('./migrate-command.ts')
      ).migrateDatabase({ isDryRun: dryRun === true, lockTimeoutSeconds: lockTimeout }),
    ),
  );

operatorCommand(program, 'doctor', 'check a deployment and name the fix of each problem').action(async () =>
  report(await (await import('./doctor.ts')).runChecks()),
);
operatorCommand(program, 'backup [file]', 'write all data into a new file; the product can keep running')
  .option('--verify', 'restore the file into a scratch database on the same server, count the rows, and delete it')
  .option('--encrypt <public-key>', 'encrypt the file for this key of age (age1…); can be repeated', collected)
  .option('--passphrase-file <file>', 'encrypt the file with the passphrase in this file')
  .option('--identity <file>', 'secret key to verify a file that is encrypted for public keys')
  .action(async (file: string | undefined, options: KeyOptions & { readonly verify?: true }) =>
    report(
      await (
        await import('./backup-commands.ts')
      ).backUp(file, { isVerified: options.verify === true, keys: keysOf(options) }),
    ),
  );
operatorCommand(program, 'restore <file>', 'restore a backup into an empty database')
  .option('--force', 'delete everything in the database first')
  .option('--identity <file>', 'secret key of an encrypted backup')
  .option('--passphrase-file <file>', 'file with the passphrase of an encrypted backup')
  .action(async (file: string, options: KeyOptions & { readonly force?: true }) =>
    report(
      await (
        await import('./backup-commands.ts')
      ).restore(file, { isForced: options.force === true, keys: keysOf(options) }),
    ),
  );
operatorCommand(
  program,
  'backup-key <file>',
  'write a new secret key for encrypted backups, and print its public key',
).action(async (file: string) => report(await (await import('./backup-commands.ts')).createBackupKey(file)));
operatorCommand(program, 'restored', 'prepare the first start after a restore with another tool').action(async () =>
  report(await (await import('./backup-commands.ts')).markAsRestored()),
);

const maintenance = program.command('maintenance').description('rest all workers, and show users a page');
operatorCommand(
  maintenance,
  'on [message]',
  'begin, or replace the message to users; waits until work in progress ended',
).action(async (message: string | undefined) =>
  report(await (await import('./maintenance-command.ts')).turnOn(message ?? '')),
);
operatorCommand(maintenance, 'off', 'end maintenance; work continues within seconds').action(async () =>
  report(await (await import('./maintenance-command.ts')).turnOff()),
);
operatorCommand(maintenance, 'status', 'show whether maintenance is on, and which work still ends').action(async () =>
  report(await (await import('./maintenance-command.ts')).showStatus()),
);

const admin = program.command('admin').description('manage system administrators');
operatorCommand(
  admin,
  'create <email>',
  'create a system administrator; asks for the password, or reads ADMIN_PASSWORD',
).action(async (email: string) => report(await (await import('./admin.ts')).createAdmin(email)));
operatorCommand(
  admin,
  'reset-second-factor <email>',
  'remove the two-step login of a user who lost app and recovery codes',
).action(async (email: string) => report(await (await import('./admin.ts')).resetFactor(email)));
operatorCommand(
  admin,
  'forget-lost-secrets <yes>',
  'continue without a lost SECRET_KEY; clients then connect both services again',
).action(async (answer: string) => report(await (await import('./admin.ts')).forgetLostSecrets(answer)));

operatorCommand(
  admin,
  'unexpected-answers',
  'list answers of Autotask and QuickBooks that contradict a known fact, without client data',
).action(async () => report(await (await import('./admin.ts')).listUnexpected()));

const client = program.command('client').description('manage clients');
operatorCommand(client, 'list', 'list all clients with their ids').action(async () =>
  report(await (await import('./clients.ts')).listClients()),
);
operatorCommand(client, 'export <id>', 'write all data of a client, without secrets, into a ZIP file here').action(
  async (id: string) => report(await (await import('./clients.ts')).exportClient(id)),
);
operatorCommand(client, 'suspend <id>', 'stop all syncs of a client; its users can only read')
  .requiredOption('--reason <text>', 'a sentence for the client’s audit trail')
  .action(async (id: string, { reason }: { readonly reason: string }) =>
    report(await (await import('./clients.ts')).changeClient(id, 'suspended', reason)),
  );
operatorCommand(client, 'resume <id>', 'reactivate a suspended client')
  .requiredOption('--reason <text>', 'a sentence for the client’s audit trail')
  .action(async (id: string, { reason }: { readonly reason: string }) =>
    report(await (await import('./clients.ts')).changeClient(id, 'active', reason)),
  );
operatorCommand(
  client,
  'move <id> <file>',
  'stop a client here, and write it into a file for another deployment',
).action(async (id: string, file: string) => report(await (await import('./move-commands.ts')).moveOut(id, file)));
operatorCommand(
  client,
  'import <file>',
  'add the client of a file; reads SOURCE_SECRET_KEY, the SECRET_KEY of the other deployment',
).action(async (file: string) => report(await (await import('./move-commands.ts')).moveIn(file)));
operatorCommand(client, 'move-undo <id>', 'let a client continue here whose file was imported nowhere')
  .option('--imported-nowhere', 'confirm that no other deployment has the client')
  .action(async (id: string, { importedNowhere }: { readonly importedNowhere?: true }) =>
    report(await (await import('./move-commands.ts')).undoMove(id, importedNowhere === true)),
  );
operatorCommand(
  client,
  'delete <id> <name>',
  'delete a client permanently; repeat its company name as confirmation',
).action(async (id: string, name: string) => report(await (await import('./clients.ts')).deleteClient(id, name)));

operatorCommand(program, 'sync <client>', 'sync all eligible documents of a client; a running worker does it')
  .addOption(
    new Option('--kind <kind>', 'documents to sync')
      .choices(['invoices', 'purchase-orders', 'expense-reports'])
      .default('invoices'),
  )
  .option('--live', 'post to QuickBooks; default: a test')
  .option('--no-wait', 'return after the job is saved')
  .action(
    async (id: string, { kind, live, wait }: { readonly kind: string; readonly live?: true; readonly wait: boolean }) =>
      report(await (await import('./sync-command.ts')).syncClient(id, kind, { isLive: live === true, waits: wait })),
  );

operatorCommand(
  program,
  'verify-services <client>',
  'check what we believe about QuickBooks and Autotask with the test accounts of a client',
)
  .option('--write', 'also create marked documents in a QuickBooks sandbox company, and delete them')
  .option(
    '--write-autotask <number>',
    'also change one invoice in the Autotask test database with this customer number',
  )
  .option('--report <file>', 'write the result into a new Markdown file')
  .action(
    async (id: string, options: { readonly write?: true; readonly writeAutotask?: string; readonly report?: string }) =>
      report(await (await import('./verify-command.ts')).verifyServices(id, options)),
  );

/** Prints an error; programming errors with their stack. Returns the exit code. */
function reportError(error: unknown): number {
  // The parser has printed the help or the error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageError;
  const message = error instanceof Refusal ? error.message : sentenceOf(error);
  if (wantsJson && message !== null) console.log(JSON.stringify({ success: false, message }));
  else console.error(message ?? error);
  return 1;
}

readEnvironmentFile();
program.parseAsync().catch((error: unknown) => process.exit(reportError(error)));

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Result of a command. */
export interface Ran {
  readonly code: number;
  readonly output: string;
}

export interface RunOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** This machine as if it were new: the folders that an installation uses are empty, and only this process sees them. */
export interface Machine {
  /** Empties the folders again, after all services were stopped. */
  renew(): Promise<void>;
  /** Runs a line of a shell as root, in the folder that the line before left. `systemctl` controls services. */
  run(line: string, options?: RunOptions): Promise<Ran>;
  /** Returns the output of a service since its start. */
  outputOf(service: string): string;
  /** Returns the path of a service's program, without links. */
  programOf(service: string): string;
  /** Names of the running services. */
  services(): readonly string[];
}

/** Folders that a new machine has empty. */
const emptied = ['/opt', '/var/lib', '/var/backups', '/usr/local/bin'] as const;
/** Folders whose content the machine hides; the checkout must be elsewhere. */
export const hidden: readonly string[] = [...emptied, '/etc'];
/** The network of the real machine, which only the installation of packages may use. */
const hostNetwork = 3;
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** As in docs/operate/proxy.md. */
export const certificateFile = '/etc/ssl/tallybridge.pem';
const units = '/etc/systemd/system';
const readyTimeoutMs = 60_000;
/** docs/operate/install.md promises it. */
const maxStopMs = 10_000;

const mount = (...words: readonly string[]): Buffer => execFileSync('mount', words);

interface Service {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  readonly output: () => string;
}

/**
 * Makes this machine look new. Needs a private mount namespace.
 *
 * @param folder an empty folder for its files, which end with the namespace
 * @param options.npmCache folder of npm's cache
 * @param options.hosts names that lead to this machine
 */
export function newMachine(
  folder: string,
  options: {
    readonly npmCache: string;
    readonly hosts: readonly string[];
    readonly home: string;
    /** A certificate that its programs trust. */
    readonly certificate: string;
  },
): Machine {
  mount('-t', 'tmpfs', '-o', 'size=80%', 'tmpfs', folder);
  const [programs, etc, cwdFile] = ['programs', 'etc', 'cwd'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(programs);
  mount('--bind', '/usr/local/bin', programs);
  cpSync('/etc', etc, { recursive: true, verbatimSymlinks: true });
  const services = new Map<string, Service>();
  let cwd = '/root';

  function prepare(): void {
    for (const one of emptied) mount('-t', 'tmpfs', 'tmpfs', one);
    for (const name of readdirSync(programs)) symlinkSync(join(programs, name), join('/usr/local/bin', name));
    mount('-t', 'tmpfs', 'tmpfs', '/etc');
    execFileSync('cp', ['-a', `${etc}/.`, '/etc']);
    appendFileSync('/etc/hosts', `\n127.0.0.1 ${options.hosts.join(' ')}\n`);
    writeFileSync(certificateFile, options.certificate);
    mkdirSync(units, { recursive: true });
  }
  prepare();

  function execute(line: string, { stdin = '', env = {} }: RunOptions): Promise<Ran> {
    // Standard streams of Node are sockets, which /dev/stdin cannot open.
    const shell = ['/bin/sh', '-c', 'cat | /bin/sh -ec "$1"', 'sh', `cd ${cwd}\n${line}\npwd > ${cwdFile}`];
    const needsNetwork = /\bnpm ci\b/.test(line);
    const [program = '', ...words] = needsNetwork ? ['nsenter', `--net=/proc/self/fd/${hostNetwork}`, ...shell] : shell;
    const child = spawn(program, words, {
      env: {
        PATH: path,
        HOME: options.home,
        npm_config_cache: options.npmCache,
        npm_config_prefer_offline: 'true',
        ...env,
      },
      stdio: ['pipe', 'pipe', 'pipe', needsNetwork ? hostNetwork : 'ignore'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (part: Buffer) => (output += part.toString()));
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(stdin);
    return new Promise((done) =>
      child.on('close', (code) => {
        if (code === 0) cwd = readFileSync(cwdFile, 'utf8').trim();
        done({ code: code ?? 1, output });
      }),
    );
  }

  async function start(name: string): Promise<void> {
    if (services.has(name)) return;
    const unit = unitOf(name);
    const user = unit.User ?? 'root';
    execFileSync('install', [
      '-d',
      '-o',
      user,
      '-m',
      unit.StateDirectoryMode ?? '0755',
      `/var/lib/${unit.StateDirectory}`,
    ]);
    const environment = assignments(unit.Environment ?? '');
    const limits = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'];
    const words = [
      `--reuid=${user}`,
      `--regid=${user}`,
      '--init-groups',
      ...limits,
      ...(unit.ExecStart ?? '').split(' '),
    ];
    const child = spawn('/bin/sh', ['-c', `umask ${unit.UMask ?? '0022'}; exec setpriv "$@"`, 'sh', ...words], {
      cwd: unit.WorkingDirectory,
      env: { PATH: path, USER: user, HOME: `/var/lib/${unit.StateDirectory}`, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (part: Buffer) => (output += part.toString()));
    const ended = new Promise<number | null>((done) => child.on('close', done));
    services.set(name, { child, ended, output: () => output });
    const port = environment['TALLYBRIDGE_ROLE'] === 'worker' ? (environment['WORKER_PORT'] ?? '3001') : '3000';
    for (const until = performance.now() + readyTimeoutMs; ; await delay(100)) {
      const ready = await fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (ready) return;
      if (child.exitCode !== null || performance.now() > until) {
        services.delete(name);
        throw new Error(`${name} did not become ready: ${output.slice(-1_000)}`);
      }
    }
  }

  async function stop(name: string): Promise<void> {
    const service = services.get(name);
    if (service === undefined) return;
    const began = performance.now();
    service.child.kill('SIGTERM');
    const code = await service.ended;
    services.delete(name);
    if (code !== 0) throw new Error(`${name} ended with ${code}: ${service.output().slice(-1_000)}`);
    const ms = Math.round(performance.now() - began);
    if (ms > maxStopMs) throw new Error(`${name} needed ${ms} ms to stop.`);
  }

  async function systemctl(line: string): Promise<Ran> {
    const [, verb = '', names = ''] = /^systemctl (enable --now|start|stop|restart) ([\w -]+)$/.exec(line) ?? [];
    if (verb === '') throw new Error(`unknown call of systemctl: ${line}`);
    for (const name of names.trim().split(' ')) {
      if (verb === 'stop' || verb === 'restart') await stop(name);
      if (verb !== 'stop') await start(name);
    }
    return { code: 0, output: '' };
  }

  return {
    async renew() {
      for (const name of services.keys()) await stop(name);
      for (const one of ['/etc', ...emptied]) execFileSync('umount', [one]);
      cwd = '/root';
      prepare();
    },
    run(line, runOptions = {}) {
      const bare = line.replace(/\s+#.*$/, '');
      return bare.startsWith('systemctl ') ? systemctl(bare) : execute(line, runOptions);
    },
    outputOf: (name) => services.get(name)?.output() ?? '',
    programOf: (name) => readlinkSync(`/proc/${services.get(name)?.child.pid ?? 0}/exe`),
    services: () => [...services.keys()],
  };
}

/** Returns the settings of a unit; repeated names are joined. */
function unitOf(name: string): Readonly<Record<string, string | undefined>> {
  const settings: Record<string, string> = {};
  for (const line of readFileSync(join(units, `${name}.service`), 'utf8').split('\n')) {
    const [, key = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (key !== '') settings[key] = settings[key] === undefined ? value : `${settings[key]} ${value}`;
  }
  return settings;
}

const assignments = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(/(\w+)=(\S*)/g)].map(([, name = '', value = '']) => [name, value]));

/** Writes a file of the machine that only root can read. */
export const writeSecret = (file: string, text: string): void => writeFileSync(file, text, { mode: 0o600 });

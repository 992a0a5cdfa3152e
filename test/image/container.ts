import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One instruction of a Dockerfile, with continued lines joined. */
interface Instruction {
  readonly does: string;
  readonly text: string;
}

/** Returns the instructions of each stage by its name; the last stage is `default`. */
export function stagesOf(dockerfile: string): ReadonlyMap<string, readonly Instruction[]> {
  const stages = new Map<string, Instruction[]>();
  let stage: Instruction[] = [];
  for (const line of dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')) {
    const [, does = '', text = ''] = /^\s*([A-Z]+) (.*)$/.exec(line) ?? [];
    if (does === '') continue;
    if (does === 'FROM') stages.set(/ AS (\w+)/.exec(text)?.[1] ?? 'default', (stage = []));
    stage.push({ does, text });
  }
  return stages;
}

/**
 * A root folder with the programs of this machine and nothing else, in which steps of a Dockerfile run: namespaces of
 * the kernel replace the container runtime. Needs root.
 */
export interface RootFolder {
  readonly path: string;
  /** Runs a command as root, with the network of the host and a writable file system. */
  run(command: string, workFolder: string): void;
  /**
   * Starts a command as a container of compose.yaml runs it: process 1 of its namespace, as the user `node` without
   * capabilities, on a read-only file system with a writable /data and /tmp.
   */
  start(command: readonly string[], environment: Readonly<Record<string, string>>, writable?: string): Container;
  /** Ends all running commands. */
  close(): Promise<void>;
}

/** A running command. */
export interface Container {
  /** Id of the process on the host. */
  pid(): number;
  output(): string;
  /** The exit code. */
  readonly ended: Promise<number | null>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** The user `node` of the official image. */
const user = 1_000;
const hostFolders = ['usr', 'bin', 'lib', 'lib64', 'sbin'];
const path = '/opt/node:/usr/local/bin:/usr/bin:/bin';

/** Creates the root folder. @param npmCache folder with the packages that npm has already downloaded. */
export function newRootFolder(folder: string, npmCache: string): RootFolder {
  for (const name of [...hostFolders, 'proc', 'dev', 'tmp', 'etc', 'opt/node', 'npm', 'root'])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ['hosts', 'resolv.conf', 'nsswitch.conf', 'ssl', 'ca-certificates'])
    cpSync(`/etc/${name}`, join(folder, 'etc', name), { recursive: true, dereference: true, force: true });
  writeFileSync(join(folder, 'etc', 'passwd'), `root:x:0:0::/root:/bin/sh\nnode:x:${user}:${user}::/data:/bin/sh\n`);
  writeFileSync(join(folder, 'etc', 'group'), `root:x:0:\nnode:x:${user}:\n`);
  cpSync(process.execPath, join(folder, 'opt', 'node', 'node'));
  const mounts = [
    `mount --rbind ${folder} ${folder}`,
    ...hostFolders.map((name) => `mount --rbind -o ro /${name} ${folder}/${name}`),
    `mount -t proc proc ${folder}/proc`,
    `mount --rbind /dev ${folder}/dev`,
    `mount -t tmpfs tmpfs ${folder}/tmp`,
  ];
  const isolated = ['--mount', '--pid', '--fork', '--kill-child=KILL', '/bin/sh', '-ec'];
  const started: Container[] = [];
  return {
    path: folder,
    run(command, workFolder) {
      const script = [
        ...mounts,
        `mount --bind ${npmCache} ${folder}/npm`,
        `exec /usr/sbin/chroot ${folder} /bin/sh -ec "cd ${workFolder}; $STEP"`,
      ].join('\n');
      execFileSync('unshare', [...isolated, script], {
        env: { PATH: path, STEP: command, HOME: '/root', npm_config_cache: '/npm', npm_config_prefer_offline: 'true' },
        stdio: 'pipe',
        maxBuffer: 64 * 1024 * 1024,
      });
    },
    start(command, environment, writable = '/data') {
      const quoted = command.map((word) => `'${word}'`).join(' ');
      const as = `--reuid=${user} --regid=${user} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all`;
      const script = [
        ...mounts,
        `mount --bind ${folder}${writable} ${folder}${writable}`,
        `mount -o remount,bind,ro ${folder}`,
        `exec /usr/sbin/chroot ${folder} setpriv ${as} /bin/sh -c "cd ${writable} && exec ${quoted}"`,
      ].join('\n');
      const container = running(['unshare', ...isolated, script], { PATH: path, HOME: writable, ...environment });
      started.push(container);
      return container;
    },
    async close() {
      await Promise.all(started.map((one) => one.stop('SIGKILL')));
    },
  };
}

function running([program = '', ...words]: readonly string[], env: Readonly<Record<string, string>>): Container {
  const child = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const ended = new Promise<number | null>((resolveEnd) => child.on('close', resolveEnd));
  const pid = () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim());
  return {
    pid,
    output: () => output,
    ended,
    stop: (signal = 'SIGTERM') => {
      if (child.exitCode === null && child.signalCode === null) process.kill(pid(), signal);
      return ended;
    },
  };
}

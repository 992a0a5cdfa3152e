import { readFile } from 'node:fs/promises';

/** The unit in which Linux tells processor time. */
const ticksPerSecond = 100;
const pageBytes = 4_096;

/** The process that started another one. Needs Linux. */
export async function parentOf(pid: number): Promise<number> {
  return Number(/^PPid:\s+(\d+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/** The most memory that a process has held at once, in bytes. Needs Linux. */
export async function peakOf(pid: number): Promise<number> {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}

/**
 * Resources that processes have used so far: processor time in milliseconds, that of their children that have ended included, and
 * memory in bytes. Needs Linux.
 */
export async function costOf(pids: readonly number[]): Promise<{ readonly cpuMs: number; readonly rssBytes: number }> {
  let [cpuMs, rssBytes] = [0, 0];
  for (const pid of pids) {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    if (text === null) continue;
    // After the name, which may hold anything, in the order of proc(5): utime, stime, cutime and cstime are the 14th to
    // 17th field, rss the 24th.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const field = (number: number) => Number(fields[number - 3]);
    cpuMs += ((field(14) + field(15) + field(16) + field(17)) * 1_000) / ticksPerSecond;
    rssBytes += field(24) * pageBytes;
  }
  return { cpuMs, rssBytes };
}

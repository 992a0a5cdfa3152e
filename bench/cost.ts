import { readFile } from 'node:fs/promises';

/** The unit in which Linux reports processor time. */
const ticksPerSecond = 100;
const pageBytes = 4_096;

/** Returns the id of the parent process. Needs Linux. */
export async function parentOf(pid: number): Promise<number> {
  return Number(/^PPid:\s+(\d+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/** Returns the peak memory of a process in bytes. Needs Linux. */
export async function peakOf(pid: number): Promise<number> {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}

/**
 * Returns the resources that processes have used so far: processor time in milliseconds, including ended children, and
 * memory in bytes. Needs Linux.
 */
export async function costOf(pids: readonly number[]): Promise<{ readonly cpuMs: number; readonly rssBytes: number }> {
  let [cpuMs, rssBytes] = [0, 0];
  for (const pid of pids) {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    if (text === null) continue;
    // The name may contain any character. The fields after it follow proc(5): utime, stime, cutime and cstime are
    // fields 14 to 17, rss is field 24.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const field = (number: number) => Number(fields[number - 3]);
    cpuMs += ((field(14) + field(15) + field(16) + field(17)) * 1_000) / ticksPerSecond;
    rssBytes += field(24) * pageBytes;
  }
  return { cpuMs, rssBytes };
}

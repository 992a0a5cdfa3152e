/** Inspects a process that was started with `--inspect`. */
export interface InspectedHeap {
  /** MiB of live objects, measured after a garbage collection. */
  aliveMb(): Promise<number>;
}

/** Option of Node.js that {@link inspectHeap} needs: an inspector on any free local port. */
export const inspectOption = '--inspect=127.0.0.1:0';

/** @param output of the process since its start, which contains the address of its inspector. */
export function inspectHeap(output: string): InspectedHeap {
  const address = /Debugger listening on (ws:\/\/127\.0\.0\.1:\d+\/[\w-]+)/.exec(output)?.[1];
  if (address === undefined) throw new Error('The process has no inspector.');
  return {
    async aliveMb() {
      const ask = await open(address);
      try {
        await ask('HeapProfiler.enable');
        // The second collection frees objects that a finalizer still holds.
        await ask('HeapProfiler.collectGarbage');
        await ask('HeapProfiler.collectGarbage');
        const { usedSize } = await ask('Runtime.getHeapUsage');
        await ask('HeapProfiler.disable');
        return Math.round(Number(usedSize) / 1024 / 1024);
      } finally {
        ask.close();
      }
    },
  };
}

type Answer = Readonly<Record<string, unknown>>;
type Ask = ((method: string) => Promise<Answer>) & { close(): void };

async function open(address: string): Promise<Ask> {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error('The inspector does not respond.')), { once: true });
  });
  let lastId = 0;
  const ask = (method: string) =>
    new Promise<Answer>((resolve, reject) => {
      const id = (lastId += 1);
      const hear = ({ data }: MessageEvent) => {
        const answer: { id?: number; result?: Answer; error?: { message: string } } = JSON.parse(String(data));
        if (answer.id !== id) return;
        socket.removeEventListener('message', hear);
        if (answer.result === undefined) reject(new Error(`${method}: ${answer.error?.message ?? 'no answer'}`));
        else resolve(answer.result);
      };
      socket.addEventListener('message', hear);
      socket.addEventListener('close', () => reject(new Error(`${method}: the process ended`)), { once: true });
      socket.send(JSON.stringify({ id, method }));
    });
  return Object.assign(ask, { close: () => socket.close() });
}

/** Ways to send a response: whole, in part, slowly, or not at all. */
import type { ServerResponse } from 'node:http';
import type { SandboxAnswer } from './definition.ts';

/** Waits. */
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Returns a body as bytes. */
export function bytesOf(body: string | Buffer | undefined): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  return typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
}

/** Resets the connection without a response. */
export function resetConnection(response: ServerResponse): null {
  response.socket?.resetAndDestroy();
  return null;
}

/** Sends a response and resolves with its status once it is sent, or with null when the client has disconnected. */
export const send = (response: ServerResponse, answer: SandboxAnswer): Promise<number | null> =>
  new Promise((resolve) => {
    const body = bytesOf(answer.body);
    if (response.destroyed) return resolve(null);
    response.once('close', () => resolve(response.writableFinished ? answer.status : null));
    response.writeHead(answer.status, { ...answer.headers, 'Content-Length': body.length });
    return response.end(body);
  });

/** Sends the first bytes of a response and ends the connection. */
export const sendTruncated = (response: ServerResponse, answer: SandboxAnswer, bytes: number): Promise<number | null> =>
  new Promise((resolve) => {
    const body = bytesOf(answer.body);
    response.once('close', () => resolve(answer.status));
    response.writeHead(answer.status, { ...answer.headers, 'Content-Length': body.length });
    // Ends the connection after the bytes were sent, so that they arrive; the response is then shorter than its
    // Content-Length.
    response.flushHeaders();
    response.write(body.subarray(0, bytes), () => response.socket?.destroySoon());
  });

/** Sends a response at a pace in bytes a second. */
export const sendSlowly = async (
  response: ServerResponse,
  answer: SandboxAnswer,
  pace: number,
): Promise<number | null> => {
  const body = bytesOf(answer.body);
  const bytesPerTick = Math.max(1, Math.round(pace / 10));
  response.writeHead(answer.status, { ...answer.headers, 'Content-Length': body.length });
  response.flushHeaders();
  for (let from = 0; from < body.length && !response.destroyed; from += bytesPerTick) {
    response.write(body.subarray(from, from + bytesPerTick));
    await sleep((bytesPerTick / pace) * 1000);
  }
  if (response.destroyed) return null;
  response.end();
  return answer.status;
};

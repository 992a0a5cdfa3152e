/**
 * The common base of both sandboxes. A service describes itself as a ServiceDefinition and starts with startService:
 *
 *   const service = await startService({ port: 0, definition });
 *   service.url                                    // http://127.0.0.1:<port>
 *
 * A request passes these steps:
 *
 *   1. everything under /__sandbox goes to the control API (control.ts): loopback only, without limits, faults and journal;
 *   2. `admitRequest` identifies the caller and checks whether a limit refuses or delays the request;
 *   3. the fault rules (faults.ts) may change an admitted request;
 *   4. `handle` applies the request and creates the response, in one synchronous or asynchronous step;
 *   5. the journal (journal.ts) records the result.
 *
 * Applying and responding are separate: a fault may run `handle` and discard its response (reset after), run it later
 * by the sandbox's clock (reset late), or never run it (reset before). So `handle` must depend only on the request and
 * the service's state, must report in `applied` whether data changed, and must not use the socket.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createControl } from './control.ts';
import type { SandboxAnswer, SandboxRequest, ServiceDefinition } from './definition.ts';
import { createFaults, type FaultAction, type Faults } from './faults.ts';
import { createJournal, type Journal, type JournalEntry } from './journal.ts';
import { bytesOf, resetConnection, send, sendSlowly, sendTruncated, sleep } from './sending.ts';

export interface ServiceOptions {
  readonly definition: ServiceDefinition;
  /** Port to listen on; 0, the default, uses a free one. */
  readonly port?: number | undefined;
  /** The address to listen on, default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Maximum body size; a larger body gets 413. Default 64 MiB. */
  readonly maxBodyBytes?: number | undefined;
}

/** A running service. */
export interface RunningService {
  readonly url: string;
  readonly port: number;
  /** Cuts all connections and stops the clock. */
  close(): Promise<void>;
}

const isControl = (path: string): boolean => path === '/__sandbox' || path.startsWith('/__sandbox/');
const loopbackHost = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

/** Reads a whole body; undefined when it is larger than allowed. Throws when the client aborts. */
async function readBody(message: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of message) {
    const bytes: Buffer = part;
    size += bytes.length;
    if (size <= maxBytes) parts.push(bytes);
  }
  return size <= maxBytes ? Buffer.concat(parts) : undefined;
}

/** What a service needs to serve a request. */
interface Parts {
  readonly definition: ServiceDefinition;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly control: ReturnType<typeof createControl>;
  readonly maxBodyBytes: number;
  readonly ownUrl: () => string;
}

/** Starts a service. Rejects when the port is taken. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { definition } = options;
  const { clock } = definition;
  const host = options.host ?? '127.0.0.1';
  const kit = { journal: createJournal(), faults: createFaults() };
  let ownUrl = '';
  const parts: Parts = {
    definition,
    ...kit,
    control: createControl(definition, kit),
    maxBodyBytes: options.maxBodyBytes ?? 64 * 1024 * 1024,
    ownUrl: () => ownUrl,
  };

  // The same keep-alive as a load balancer's. A client that was delayed for seconds reuses an open connection, not one
  // that is closing.
  const server = createServer({ keepAliveTimeout: 60_000 }, (message, response) => {
    // A client that disconnects early is no error; a bug here must not stop the other requests.
    serve(parts, message, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  ownUrl = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;

  return {
    url: ownUrl,
    port: address.port,
    close: () =>
      new Promise((resolve, reject) => {
        clock.stop();
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

async function handle({ definition }: Parts, request: SandboxRequest, entry: JournalEntry): Promise<SandboxAnswer> {
  let answer: SandboxAnswer;
  try {
    answer = await definition.handle(request);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    answer = { status: 500, headers: { 'Content-Type': 'text/plain' }, body: `The sandbox itself failed.\n${text}` };
  }
  entry.applied = answer.applied === true;
  return answer;
}

const note = ({ journal }: Parts, entry: JournalEntry, { body = '' }: SandboxAnswer): void =>
  journal.settle(entry, typeof body === 'string' ? body : body.toString('utf8'));

async function sendFault(
  parts: Parts,
  action: FaultAction,
  request: SandboxRequest,
  response: ServerResponse,
  entry: JournalEntry,
): Promise<number | null> {
  if (action.status !== undefined) {
    if (action.apply === true) await handle(parts, request, entry);
    const { body: wanted = '' } = action;
    const body = typeof wanted === 'string' ? wanted : JSON.stringify(wanted);
    const type = typeof wanted === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
    const answer = { status: action.status, headers: { 'Content-Type': type, ...action.headers }, body };
    note(parts, entry, answer);
    return send(response, answer);
  }
  if (action.reset === 'before') return resetConnection(response);
  if (action.reset === 'late') {
    parts.definition.clock.after(action.apply_after_seconds ?? 0, () => {
      void handle(parts, request, entry).then((answer) => note(parts, entry, answer));
    });
    return resetConnection(response);
  }
  if (action.hang_ms !== undefined) {
    if (action.apply !== false) note(parts, entry, await handle(parts, request, entry));
    await sleep(action.hang_ms);
    return resetConnection(response);
  }
  const answer = await handle(parts, request, entry);
  note(parts, entry, answer);
  if (action.reset === 'after') return resetConnection(response);
  if (action.bytes_per_second !== undefined) return sendSlowly(response, answer, action.bytes_per_second);
  if (action.truncate === undefined) return send(response, answer);
  const whole = bytesOf(answer.body);
  const bytes = action.truncate === true ? Math.floor(whole.length / 2) : action.truncate;
  if (action.clean !== true) return sendTruncated(response, answer, bytes);
  return send(response, { ...answer, body: whole.subarray(0, bytes) });
}

/** Returns the request of a message, once its body is known. */
function requestOf(parts: Parts, message: IncomingMessage) {
  const target = message.url ?? '/';
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? '' : target.slice(mark + 1);
  const method = (message.method ?? 'GET').toUpperCase();
  const hostName = message.headers.host ?? '';
  const baseUrl = loopbackHost.test(hostName) ? `http://${hostName}` : parts.ownUrl();
  let params: URLSearchParams | undefined;
  return (sequence: number, body: Buffer): SandboxRequest => ({
    sequence,
    method,
    path,
    query,
    get params() {
      return (params ??= new URLSearchParams(query));
    },
    headers: message.headers,
    body,
    text: () => body.toString('utf8'),
    baseUrl,
  });
}

async function serve(parts: Parts, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const requestWith = requestOf(parts, message);
  const head = requestWith(0, Buffer.alloc(0));
  if (isControl(head.path)) {
    const body = await readBody(message, parts.maxBodyBytes);
    await send(
      response,
      await parts.control(requestWith(0, body ?? Buffer.alloc(0)), message.socket.remoteAddress ?? ''),
    );
    return;
  }

  let body: Buffer | undefined;
  let isBroken = false;
  try {
    body = await readBody(message, parts.maxBodyBytes);
  } catch {
    isBroken = true;
  }
  const began = performance.now();
  const sequence = parts.journal.nextSequence();
  const entry = parts.journal.open({
    sequence,
    time: parts.definition.clock.iso(),
    method: head.method,
    path: head.path,
    query: head.query,
    owner: null,
    status: null,
    duration_ms: 0,
    applied: false,
    fault: null,
    request_body: body?.toString('utf8') ?? '',
    response_body: '',
  });
  // An incomplete request is not applied.
  if (isBroken) return;
  const request = requestWith(sequence, body ?? Buffer.alloc(0));
  if (body === undefined) {
    entry.status = await send(response, { status: 413, body: 'Request body too large.' });
    return;
  }
  await respond(parts, request, response, entry, began);
}

/** Answers a complete request and completes its journal entry. */
async function respond(
  parts: Parts,
  request: SandboxRequest,
  response: ServerResponse,
  entry: JournalEntry,
  began: number,
): Promise<void> {
  const admission = parts.definition.admitRequest(request);
  entry.owner = admission.owner;
  try {
    if (admission.refuse !== undefined) {
      note(parts, entry, admission.refuse);
      entry.status = await send(response, admission.refuse);
      return;
    }
    if (admission.delayMs !== undefined && admission.delayMs > 0) await sleep(admission.delayMs);
    const fault = parts.faults.apply({
      method: request.method,
      path: request.path,
      query: request.query,
      body: request.text,
    });
    if (fault === undefined) {
      const handled = await handle(parts, request, entry);
      note(parts, entry, handled);
      // The caller may send its next request before the end of this response is noticed here.
      admission.release?.();
      entry.status = await send(response, handled);
    } else {
      entry.fault = fault.id;
      if (fault.action.delay_ms !== undefined) await sleep(fault.action.delay_ms);
      entry.status = await sendFault(parts, fault.action, request, response, entry);
    }
  } finally {
    entry.duration_ms = Math.round((performance.now() - began) * 100) / 100;
    admission.release?.();
  }
}

import { connect, createServer, type Socket } from 'node:net';

/** How a pooler handles settings in a client's first message. */
export type StartupSettings = 'refused' | 'dropped' | 'passed on';

/** Starts a pooler in transaction mode, like PgBouncer: clients share one server session, one transaction at a time. */
export async function startPooler(target: { readonly host: string; readonly port: number }, settings: StartupSettings) {
  const clients = new Set<Socket>();
  const waiting: { readonly client: Socket; readonly messages: Buffer }[] = [];
  let server: Socket | undefined;
  /** The client with the current transaction. The first client also logs in. */
  let owner: Socket | undefined;
  let isSignedIn = false;
  const next = () => {
    const first = waiting.shift();
    owner = first?.client;
    if (first !== undefined) server?.write(first.messages);
  };
  const receive = framesOf(1, (frame) => {
    owner?.write(frame);
    const isReady = frame[0] === 'Z'.charCodeAt(0);
    isSignedIn ||= isReady;
    if (isReady && frame[5] === 'I'.charCodeAt(0)) next();
  });
  const send = (client: Socket, messages: Buffer) => {
    if (owner === undefined || owner === client) {
      owner = client;
      server?.write(messages);
    } else waiting.push({ client, messages });
  };
  const begin = (client: Socket, startup: Buffer) => {
    if (settings === 'refused') client.end(message('E', 'SFATAL\0C08P01\0Munsupported startup parameter: x\0\0'));
    else if (isSignedIn) client.write(Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I')]));
    else if (server === undefined) {
      owner = client;
      server = connect(target)
        .on('data', receive)
        .on('error', () => undefined);
      server.write(settings === 'dropped' ? withoutLimits(startup) : startup);
    } else setTimeout(() => begin(client, startup), 5);
  };
  const pooler = createServer((client) => {
    let hasBegun = false;
    clients.add(client);
    client.on('error', () => undefined);
    client.on('data', (data: Buffer) => {
      if (hasBegun) return send(client, data);
      hasBegun = true;
      return begin(client, data);
    });
  });
  await new Promise<void>((listening) => pooler.listen(0, '127.0.0.1', listening));
  const address = pooler.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async close() {
      for (const socket of [...clients, server]) socket?.destroy();
      await new Promise((closed) => pooler.close(closed));
    },
  };
}

/** Calls `use` for each complete message of a stream. */
function framesOf(typeBytes: number, use: (frame: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= typeBytes + 4) {
      const length = typeBytes + rest.readUInt32BE(typeBytes);
      if (rest.length < length) return;
      use(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}

function message(type: string, body: string): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(4 + body.length, 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

/** Removes the time limits from a client's first message. */
function withoutLimits(startup: Buffer): Buffer {
  const words = startup.subarray(8, -1).toString().split('\0');
  const left: string[] = [];
  for (let index = 0; index + 1 < words.length; index += 2)
    if (words[index]?.endsWith('_timeout') === false) left.push(words[index] ?? '', words[index + 1] ?? '');
  const body = Buffer.from(`${left.join('\0')}\0\0`);
  const head = Buffer.from(startup.subarray(0, 8));
  head.writeUInt32BE(8 + body.length);
  return Buffer.concat([head, body]);
}

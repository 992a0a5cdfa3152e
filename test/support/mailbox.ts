import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A mail as a mail server took it. */
export interface Letter {
  readonly to: string;
  /** Its words as plain text, decoded. */
  readonly text: string;
  /** Everything that was sent, headers first. */
  readonly source: string;
}

/** A mail server of a test's own, which takes whatever it is given and delivers nothing. */
export interface Mailbox {
  /** As SMTP_URL takes it. */
  readonly url: string;
  /** What was taken so far, oldest first: from the moment at which the sender may believe it. */
  letters(): readonly Letter[];
  close(): Promise<void>;
}

const endOfLetter = '\r\n.\r\n';

/** Starts a mail server on a free port. */
export async function startMailbox(): Promise<Mailbox> {
  const letters: Letter[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // Whoever dies while sending has sent nothing.
    socket.on('error', () => socket.destroy());
    let heard = '';
    let to: string | null = null;
    let isLetter = false;
    const answer = (line: string): void => {
      const [, address] = /^RCPT TO:<([^>]+)>/i.exec(line) ?? [];
      if (address !== undefined) to = address;
      isLetter = /^DATA\b/i.test(line);
      if (/^QUIT\b/i.test(line)) socket.end('221 bye\r\n');
      else socket.write(isLetter ? '354 go on\r\n' : '250 ok\r\n');
    };
    socket.write('220 ready\r\n');
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString('latin1');
      for (;;) {
        const end = isLetter ? endOfLetter : '\r\n';
        const at = heard.indexOf(end);
        if (at === -1) return;
        const said = heard.slice(0, at);
        heard = heard.slice(at + end.length);
        if (!isLetter) {
          answer(said);
          continue;
        }
        isLetter = false;
        const source = Buffer.from(said.replaceAll('\r\n..', '\r\n.'), 'latin1').toString('utf8');
        letters.push({ to: to ?? '', text: wordsOf(source), source });
        socket.write('250 taken\r\n');
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // A server that listens on a port has one.
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    letters: () => letters,
    close: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  };
}

/** The plain words of a mail: its part of type text/plain, or all of it when there are no parts. */
function wordsOf(source: string): string {
  const boundary = /boundary="?([^";\r\n]+)/i.exec(source)?.[1];
  const parts = boundary === undefined ? [source] : source.split(`--${boundary}`).slice(1);
  const part = parts.find((one) => /^content-type: text\/plain/im.test(one)) ?? '';
  const at = part.indexOf('\r\n\r\n');
  const [headers, body] = [part.slice(0, at), part.slice(at + 4)];
  switch (/^content-transfer-encoding: (\S+)/im.exec(headers)?.[1]?.toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64').toString('utf8');
    case 'quoted-printable':
      return fromQuotedPrintable(body);
    default:
      return body;
  }
}

const fromQuotedPrintable = (body: string): string =>
  Buffer.from(
    body
      .replaceAll('=\r\n', '')
      .replaceAll(/=([\dA-F]{2})/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16))),
    'latin1',
  ).toString('utf8');

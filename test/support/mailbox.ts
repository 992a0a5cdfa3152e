import { createServer, type AddressInfo, type Socket } from 'node:net';

/** An email received by the test's mail server. */
export interface ReceivedMail {
  readonly to: string;
  /** The decoded plain text. */
  readonly text: string;
  /** The raw message. */
  readonly source: string;
}

/** A mail server for tests that accepts all emails and delivers none. */
export interface Mailbox {
  /** The value for SMTP_URL. */
  readonly url: string;
  /** Accepted emails, oldest first. */
  mails(): readonly ReceivedMail[];
  close(): Promise<void>;
}

const endOfMail = '\r\n.\r\n';

/** Starts a mail server on a free port. */
export async function startMailbox(): Promise<Mailbox> {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // A sender that dies during sending has sent nothing.
    socket.on('error', () => socket.destroy());
    let received = '';
    let to: string | null = null;
    let isMail = false;
    const answer = (line: string): void => {
      const [, address] = /^RCPT TO:<([^>]+)>/i.exec(line) ?? [];
      if (address !== undefined) to = address;
      isMail = /^DATA\b/i.test(line);
      if (/^QUIT\b/i.test(line)) socket.end('221 bye\r\n');
      else socket.write(isMail ? '354 go on\r\n' : '250 ok\r\n');
    };
    socket.write('220 ready\r\n');
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      for (;;) {
        const end = isMail ? endOfMail : '\r\n';
        const at = received.indexOf(end);
        if (at === -1) return;
        const said = received.slice(0, at);
        received = received.slice(at + end.length);
        if (!isMail) {
          answer(said);
          continue;
        }
        isMail = false;
        const source = Buffer.from(said.replaceAll('\r\n..', '\r\n.'), 'latin1').toString('utf8');
        mails.push({ to: to ?? '', text: wordsOf(source), source });
        socket.write('250 taken\r\n');
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // A listening server has a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails: () => mails,
    close: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  };
}

/** Returns the text/plain part of an email, or the entire text. */
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

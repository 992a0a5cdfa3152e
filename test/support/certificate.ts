import { createSign, generateKeyPairSync } from 'node:crypto';

/** A self-signed certificate and its key in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Creates a certificate for a host name. Node has no API for it, so this writes the bytes. */
export function certificateFor(host: string, validDays = 1): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(objectId('2a8648ce3d040302'));
  const name = sequence(element(0x31, sequence(objectId('550403'), element(0x0c, Buffer.from(host)))));
  const day = 86_400_000;
  const alternative = sequence(element(0x82, Buffer.from(host)));
  const extensions = sequence(
    sequence(objectId('551d11'), element(0x04, alternative)),
    // It may sign, so it can be its own certificate authority.
    sequence(objectId('551d13'), element(0x04, sequence(element(0x01, Buffer.from([0xff]))))),
  );
  const body = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(time(Date.now() - day), time(Date.now() + validDays * day)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, extensions),
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  const der = sequence(body, algorithm, element(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = der.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
}

function element(tag: number, content: Buffer): Buffer {
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => element(0x30, Buffer.concat(parts));
const objectId = (hex: string): Buffer => element(0x06, Buffer.from(hex, 'hex'));
const time = (at: number): Buffer => {
  const digits = new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '');
  return element(0x17, Buffer.from(digits.slice(2)));
};

import { open, readFile, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { BackupUnusable, codeOf } from './errors.ts';
import type { Coding } from './row-file.ts';

/*
 * Encrypted files have the format of age (https://age-encryption.org/v1), so that the tool `age` opens them, too. It
 * works in chunks of 64 kB: memory does not grow with the file, and a changed or cut file is recognized.
 */
const firstLine = 'age-encryption.org/v1\n';
const minPassphraseLength = 12;
/** Power of two; OWASP’s minimum. Opening a file needs 128 MB. */
const scryptWorkFactor = 17;

/** What encrypts or decrypts a file. Secrets are in files, because other users can see the arguments of a command. */
export interface FileKeys {
  /** Public keys, as `age1…`. */
  readonly recipients?: readonly string[] | undefined;
  /** File with secret keys, as `age-keygen` or `tallybridge backup-key` writes it. */
  readonly identityFile?: string | undefined;
  /** File with a passphrase. */
  readonly passphraseFile?: string | undefined;
}

/**
 * Returns what encrypts a file; undefined without keys.
 *
 * @throws BackupUnusable if a key or a passphrase cannot be used.
 */
export async function sealWith({ recipients = [], passphraseFile }: FileKeys): Promise<Coding | undefined> {
  if (recipients.length === 0 && passphraseFile === undefined) return undefined;
  if (recipients.length > 0 && passphraseFile !== undefined)
    throw new BackupUnusable('Use public keys or a passphrase, not both.');
  const encrypter = new Encrypter();
  if (passphraseFile !== undefined) {
    encrypter.setPassphrase(await readPassphrase(passphraseFile));
    encrypter.setScryptWorkFactor(scryptWorkFactor);
  }
  for (const recipient of recipients)
    try {
      encrypter.addRecipient(recipient);
    } catch (error) {
      throw new BackupUnusable(`“${recipient}” is not a public key of age: it begins with “age1”.`, { cause: error });
    }
  return coding((stream) => encrypter.encrypt(stream));
}

/**
 * Returns what decrypts a file; undefined if it is not encrypted.
 *
 * @throws BackupUnusable if the file cannot be read, or the keys do not belong to it.
 */
export async function openWith(path: string, { identityFile, passphraseFile }: FileKeys): Promise<Coding | undefined> {
  const hasKey = identityFile !== undefined || passphraseFile !== undefined;
  if (!(await isEncrypted(path))) {
    if (hasKey) throw new BackupUnusable(`${path} is not encrypted. To use it anyway, run this without a key.`);
    return undefined;
  }
  if (!hasKey) throw new BackupUnusable(`${path} is encrypted: add --identity or --passphrase-file.`);
  const decrypter = new Decrypter();
  if (passphraseFile !== undefined) decrypter.addPassphrase(await readPassphrase(passphraseFile));
  for (const identity of identityFile === undefined ? [] : await readIdentities(identityFile))
    try {
      decrypter.addIdentity(identity);
    } catch (error) {
      throw new BackupUnusable(`${identityFile} has a damaged key.`, { cause: error });
    }
  return coding(async (stream) => {
    try {
      return await decrypter.decrypt(stream);
    } catch (error) {
      if (!/no identity matched/.test(String(error))) throw error;
      throw new BackupUnusable(`The key does not open ${path}: use the key or passphrase that it was encrypted with.`, {
        cause: error,
      });
    }
  });
}

/** Writes a new secret key into a file that only the operator can read, and returns its public key. */
export async function writeIdentity(path: string): Promise<string> {
  const identity = await generateX25519Identity();
  const recipient = await identityToRecipient(identity);
  try {
    await writeFile(path, `# public key: ${recipient}\n${identity}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new BackupUnusable(`${path} cannot be written (${codeOf(error)}): choose another name.`, { cause: error });
  }
  return recipient;
}

/** The library’s streams are those of browsers. */
const coding = (code: (stream: ReadableStream<Uint8Array>) => Promise<unknown>): Coding =>
  async function* (source) {
    const coded = await code(Readable.toWeb(Readable.from(source, { objectMode: false })));
    for await (const chunk of Readable.fromWeb(coded as ReadableStream<Uint8Array>)) yield chunk as Uint8Array;
  };

async function isEncrypted(path: string): Promise<boolean> {
  let file;
  try {
    file = await open(path);
  } catch (error) {
    throw new BackupUnusable(`${path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(firstLine.length), 0, firstLine.length, 0);
    return buffer.subarray(0, bytesRead).toString() === firstLine;
  } finally {
    await file.close();
  }
}

async function readPassphrase(path: string): Promise<string> {
  const passphrase = (await readSecret(path)).replace(/\r?\n$/, '');
  if (passphrase.length < minPassphraseLength)
    throw new BackupUnusable(`The passphrase in ${path} is shorter than ${minPassphraseLength} characters.`);
  return passphrase;
}

async function readIdentities(path: string): Promise<readonly string[]> {
  const lines = (await readSecret(path)).split('\n').map((line) => line.trim());
  const identities = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (identities.length === 0) throw new BackupUnusable(`${path} has no secret key.`);
  return identities;
}

async function readSecret(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new BackupUnusable(`${path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
}

import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  randomUUID,
} from 'node:crypto';

/**
 * Encrypts secrets at rest: AES-256-GCM under a separate key per tenant, which is stored wrapped by a root key outside
 * the database. Tenant and field are bound to each sealed text, so a value copied to another place does not open.
 */
export interface Vault {
  /** Name of the newest root key. */
  readonly rootKeyId: string;
  /** Names of all configured root keys, newest first. */
  readonly rootKeyIds: readonly string[];
  /** Creates a key for a tenant: open for use, and wrapped for storage. */
  createKey(tenantId: string): { readonly key: DataKey; readonly wrapped: WrappedKey };
  /** @throws VaultError if its root key is not configured, or the record belongs to another tenant. */
  unwrap(tenantId: string, wrapped: WrappedKey): DataKey;
  /**
   * Returns keyed hashes to find a sealed text in the database, newest root key first. Stored values have the first
   * hash; a search uses all of them.
   */
  fingerprints(text: string): readonly [string, ...string[]];
  /** Returns the same key wrapped by the newest root key; null if it already is. */
  rewrap(tenantId: string, wrapped: WrappedKey): WrappedKey | null;
}

/** A tenant's key as stored in the database. */
export interface WrappedKey {
  readonly id: string;
  /** Name of the root key that opens it. */
  readonly rootKeyId: string;
  readonly wrapped: string;
}

/** A tenant's key, open: never stored, never logged. */
export interface DataKey {
  readonly id: string;
  readonly tenantId: string;
  readonly bytes: Buffer;
}

/**
 * Thrown when a sealed value does not open: a wrong root key, or a moved or changed value. The message never contains
 * the content.
 */
export class VaultError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'VaultError';
  }
}

const minimumSecretLength = 32;
const ivBytes = 12;
const tagBytes = 16;

/**
 * Opens the vault.
 *
 * @param secretKeys SECRET_KEY: one secret, or several separated by commas, newest first; older ones only open.
 * @throws VaultError if there is none, or one is shorter than 32 characters.
 */
export function createVault(secretKeys: string): Vault {
  const roots = secretKeys
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '')
    .map(rootKey);
  const newest = roots[0];
  if (newest === undefined) throw new VaultError('SECRET_KEY is empty: set it to at least 32 random characters.');
  const open = (tenantId: string, record: WrappedKey): Buffer => {
    const root = roots.find((one) => one.id === record.rootKeyId);
    if (root === undefined)
      throw new VaultError(
        `The secrets of tenant ${tenantId} were sealed with a SECRET_KEY that is not set here: add the old one behind a comma.`,
      );
    return decrypt(root.bytes, bindingOfKey(tenantId, record.id), record.wrapped);
  };
  const wrap = (tenantId: string, id: string, bytes: Buffer): WrappedKey => ({
    id,
    rootKeyId: newest.id,
    wrapped: encrypt(newest.bytes, bindingOfKey(tenantId, id), bytes),
  });
  return {
    rootKeyId: newest.id,
    rootKeyIds: roots.map(({ id }) => id),
    createKey(tenantId) {
      const key = { id: randomUUID(), tenantId, bytes: randomBytes(32) };
      return { key, wrapped: wrap(tenantId, key.id, key.bytes) };
    },
    unwrap: (tenantId, record) => ({ id: record.id, tenantId, bytes: open(tenantId, record) }),
    fingerprints: (text) => [
      fingerprint(newest.bytes, text),
      ...roots.slice(1).map(({ bytes }) => fingerprint(bytes, text)),
    ],
    rewrap: (tenantId, record) =>
      record.rootKeyId === newest.id ? null : wrap(tenantId, record.id, open(tenantId, record)),
  };
}

/** Seals a text for one field of the key's tenant; the result starts with the key's id. */
export const seal = (key: DataKey, field: string, text: string): string =>
  `v1.${key.id}.${encrypt(key.bytes, bindingOfField(key.tenantId, field), Buffer.from(text, 'utf8'))}`;

/** Returns the id of the key that opens a sealed text. @throws VaultError if the text is not sealed. */
export function keyIdOf(sealed: string): string {
  const [version, id] = sealed.split('.');
  if (version !== 'v1' || id === undefined) throw new VaultError('This is not a sealed value.');
  return id;
}

/** Opens a text that {@link seal} sealed for the same tenant and field. @throws VaultError otherwise. */
export function open(key: DataKey, field: string, sealed: string): string {
  if (keyIdOf(sealed) !== key.id) throw new VaultError('This value was sealed with another key.');
  const content = sealed.slice(sealed.lastIndexOf('.') + 1);
  return decrypt(key.bytes, bindingOfField(key.tenantId, field), content).toString('utf8');
}

function rootKey(secret: string): { readonly id: string; readonly bytes: Buffer } {
  if (secret.length < minimumSecretLength)
    throw new VaultError(`SECRET_KEY is too short: use at least ${minimumSecretLength} random characters.`);
  const bytes = Buffer.from(hkdfSync('sha256', secret, 'tallybridge', 'root key of the vault', 32));
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 12), bytes };
}

/** Uses a separate derived key, so that a hash reveals nothing about values sealed with the root key. */
const fingerprint = (root: Buffer, text: string): string =>
  createHmac('sha256', Buffer.from(hkdfSync('sha256', root, 'tallybridge', 'key of the fingerprints', 32)))
    .update(text)
    .digest('base64url');

const bindingOfKey = (tenantId: string, keyId: string): string => `key\n${tenantId}\n${keyId}`;
const bindingOfField = (tenantId: string, field: string): string => `field\n${tenantId}\n${field}`;

function encrypt(key: Buffer, binding: string, content: Buffer): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(binding));
  const sealed = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

function decrypt(key: Buffer, binding: string, text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
      .setAAD(Buffer.from(binding))
      .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]);
  } catch (error) {
    throw new VaultError('A sealed value does not open: it was changed, or belongs to another place.', {
      cause: error,
    });
  }
}

/** What users of a client set up for it, and what would outlive their access: each has an owner. */
export const ownedKinds = ['api_key', 'webhook_endpoint', 'chat', 'invitation'] as const;
export type OwnedKind = (typeof ownedKinds)[number];

/** What is handed over by default when its owner leaves. Keys and invitations give access, so they are removed. */
export const handedOverByDefault: readonly OwnedKind[] = ['webhook_endpoint', 'chat'];

/** The user who is responsible for something of the client. */
export interface Owner {
  /** User name. */
  readonly username: string;
  /** False for a former user, and for a system administrator who acted as the client. */
  readonly isActive: boolean;
}

/** Something that a user owns. */
export interface Owned {
  readonly kind: OwnedKind;
  readonly id: string;
  /** Its name, address or email address, for people. */
  readonly name: string;
}

/** What happens to everything that a leaving user owns. */
export interface Succession {
  /** Kinds that are handed over. All other kinds are removed. */
  readonly handOver: readonly OwnedKind[];
  /** User name of the active administrator who gets them; null: the first one by name. */
  readonly to: string | null;
}

import { BadInput, objectWith, optionalBoolean, optionalNumber, optionalText } from '../kit/input.ts';

/** An API user as an administrator of the tenant sees it. */
export interface ApiUser {
  readonly userName: string;
  readonly secret: string;
  readonly apiIntegrationCode: string;
  /** The tenant that the user belongs to, by its customer number (`ci` of the zone service). */
  readonly database: number;
  readonly locked: boolean;
  readonly active: boolean;
  /** Association ids; null when the security level is unrestricted. */
  readonly linesOfBusiness: readonly number[] | null;
  /** The resource of the user, which becomes the creator of its records. */
  readonly resourceId: number;
  /** False for the “can't read costs” security level: cost fields are blank. */
  readonly readCosts: boolean;
  /** Whether the security level allows acting as another resource. */
  readonly impersonation: boolean;
}

/** The API users of all tenants. */
export interface ApiUsers {
  /**
   * Returns the user with these exact credentials, when its login is allowed; counts wrong secrets, which may lock it.
   */
  authenticate(userName: string, secret: string, apiIntegrationCode: string, lockAfter: number): ApiUser | undefined;
  /** Returns whether only the tracking identifier is wrong; such a call is not counted as a failed login. */
  hasWrongTrackingIdentifier(userName: string, secret: string, apiIntegrationCode: string): boolean;
  /** Whether the zone service knows the name. */
  isKnown(userName: string): boolean;
  /** Returns the customer number of the user's tenant; for an unknown name, that of the sample world. */
  databaseOf(userName: string): number;
  list(): readonly ApiUser[];
  /** Adds a user, or changes the one with that name and resets its failed logins. Throws BadInput. */
  save(body: unknown): ApiUser;
  reset(): void;
}

/** The tenants' customer numbers: the sample world's, and that of a company without a client. */
export const databases = { northwind: 20_250_303, lakeside: 20_250_304 } as const;

/** The user that always exists after a reset. */
export const defaultUser: ApiUser = {
  userName: 'api.user@northwind-msp.example',
  secret: 'sandbox-Secret-1',
  apiIntegrationCode: 'SANDBOX0TRACKING0CODE000001',
  database: databases.northwind,
  locked: false,
  active: true,
  linesOfBusiness: null,
  resourceId: 99,
  readCosts: true,
  impersonation: true,
};

/** The API user of the second tenant. */
export const secondUser: ApiUser = {
  ...defaultUser,
  userName: 'api.user@lakeside-tech.example',
  secret: 'sandbox-Secret-2',
  database: databases.lakeside,
};

const keys = [
  'userName',
  'secret',
  'apiIntegrationCode',
  'database',
  'locked',
  'active',
  'linesOfBusiness',
  'resourceId',
  'readCosts',
  'impersonation',
];

/** Creates the list with one user of each tenant. */
export function createApiUsers(): ApiUsers {
  const users = new Map<string, ApiUser>();
  const failures = new Map<string, number>();
  const keyOf = (userName: string): string => userName.trim().toLowerCase();
  const reset = (): void => {
    users.clear();
    failures.clear();
    for (const user of [defaultUser, secondUser]) users.set(keyOf(user.userName), user);
  };
  reset();

  return {
    authenticate(userName, secret, apiIntegrationCode, lockAfter) {
      const key = keyOf(userName);
      const user = users.get(key);
      if (user === undefined || user.locked || !user.active) return undefined;
      if (user.secret === secret) {
        failures.delete(key);
        return user.apiIntegrationCode === apiIntegrationCode ? user : undefined;
      }
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      if (lockAfter > 0 && count >= lockAfter) users.set(key, { ...user, locked: true });
      return undefined;
    },
    hasWrongTrackingIdentifier(userName, secret, apiIntegrationCode) {
      const user = users.get(keyOf(userName));
      const isOpen = user !== undefined && user.active && !user.locked && user.secret === secret;
      return isOpen && apiIntegrationCode !== '' && user.apiIntegrationCode !== apiIntegrationCode;
    },
    isKnown: (userName) => users.get(keyOf(userName))?.active === true,
    databaseOf: (userName) => users.get(keyOf(userName))?.database ?? databases.northwind,
    list: () => [...users.values()],
    save(body) {
      const wanted = objectWith(body, keys, 'an API user');
      const userName = optionalText(wanted.userName, 'userName')?.trim() ?? '';
      if (userName === '') throw new BadInput('userName must be a text.');
      const old = users.get(keyOf(userName));
      const known: readonly number[] = Object.values(databases);
      if (wanted.database !== undefined && !known.includes(Number(wanted.database)))
        throw new BadInput(`database must be one of: ${known.join(', ')}.`);
      const lines = wanted.linesOfBusiness;
      if (lines !== undefined && lines !== null && !(Array.isArray(lines) && lines.every((id) => Number.isInteger(id))))
        throw new BadInput('linesOfBusiness must be a list of association ids, or null.');
      const user: ApiUser = {
        userName: old?.userName ?? userName,
        secret: optionalText(wanted.secret, 'secret') ?? old?.secret ?? `secret-of-${userName}`,
        apiIntegrationCode:
          optionalText(wanted.apiIntegrationCode, 'apiIntegrationCode') ??
          old?.apiIntegrationCode ??
          defaultUser.apiIntegrationCode,
        database: optionalNumber(wanted.database, 'database', { whole: true }) ?? old?.database ?? databases.northwind,
        locked: optionalBoolean(wanted.locked, 'locked') ?? old?.locked ?? false,
        active: optionalBoolean(wanted.active, 'active') ?? old?.active ?? true,
        linesOfBusiness: lines === undefined ? (old?.linesOfBusiness ?? null) : lines,
        resourceId:
          optionalNumber(wanted.resourceId, 'resourceId', { whole: true }) ?? old?.resourceId ?? defaultUser.resourceId,
        readCosts: optionalBoolean(wanted.readCosts, 'readCosts') ?? old?.readCosts ?? true,
        impersonation: optionalBoolean(wanted.impersonation, 'impersonation') ?? old?.impersonation ?? true,
      };
      users.set(keyOf(userName), user);
      failures.delete(keyOf(userName));
      return user;
    },
    reset,
  };
}

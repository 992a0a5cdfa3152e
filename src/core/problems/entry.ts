import { type MappingNamespace, mappingNamespaces, type PartyNamespace } from '../mapping/mapping.ts';
import type { SettingKey } from '../settings/definitions.ts';
import type { Repair, RepairCandidate, ServiceSide, Treatment } from './problem.ts';

/** One problem code: its treatment, texts and repairs. */
export interface Entry<Of> {
  readonly treatment: Treatment;
  readonly message: (of: Of) => string;
  /** `{psa}` stands for the PSA's label. */
  readonly remedy: string | null | ((of: Of) => string | null);
  readonly screen: string | null;
  readonly repairs?: (of: Of) => readonly Repair[];
}

interface Words<Of> {
  readonly message: (of: Of) => string;
  readonly remedy?: Entry<Of>['remedy'];
  readonly screen?: string;
  readonly repairs?: (of: Of) => readonly Repair[];
}

const entryOf =
  (treatment: Treatment, always: string | null = null) =>
  <Of = void>({ message, remedy = always, screen, repairs }: Words<Of>): Entry<Of> => ({
    treatment,
    message,
    remedy,
    screen: screen ?? null,
    ...(repairs === undefined ? {} : { repairs }),
  });

/** A problem that a user must fix; the document is marked in the PSA. */
export const person = entryOf('person');
/** A problem for which the document waits, unmarked, until it is resumed automatically. */
export const held = entryOf('held');
/** A problem that resolves without a user. */
export const transient = entryOf('transient', 'No action needed: the next sync retries it.');
/** A problem of every document of the run. */
export const stopsRun = entryOf('stops_run');
/** A problem that does not prevent the sync of the document. */
export const warning = entryOf('warning');

/** Paths of the screens where users fix problems. */
export const screens = {
  customers: '/customer-mappings',
  vendors: '/vendor-mappings',
  items: '/item-mappings',
  expenses: '/expense-mappings',
  linesOfBusiness: '/lines-of-business',
  locations: '/locations',
  taxRegions: '/tax-regions',
  settings: '/settings',
  connections: '/connections',
  monthEnd: '/month-end',
} as const;

/** A record of the PSA that a mapping can be made for. */
export interface Source {
  readonly id: number | string;
  readonly name: string;
}

/** A mapping that is missing or stale. */
export const mapping = (
  namespace: MappingNamespace,
  { id, name }: Source,
  candidates: readonly RepairCandidate[] = [],
  replaces?: string,
): Repair => ({
  do: 'map',
  namespace,
  sourceEntity: mappingNamespaces[namespace].source,
  sourceValue: String(id),
  sourceLabel: name,
  ...(candidates.length === 0 ? {} : { candidates }),
  ...(replaces === undefined ? {} : { replaces }),
});

/** Creation of a customer or vendor with another name. */
export const createAs = (namespace: PartyNamespace, { id, name: sourceName }: Source, name: string): Repair => ({
  do: 'create_as',
  namespace,
  sourceEntity: mappingNamespaces[namespace].source,
  sourceValue: String(id),
  sourceLabel: sourceName,
  name,
});

/** A setting that has to be chosen, with the value that is proposed. */
export const setting = (key: SettingKey, value?: string | number | boolean): Repair =>
  value === undefined ? { do: 'choose_setting', key } : { do: 'choose_setting', key, value };

export const reconnect = (service: ServiceSide): Repair => ({ do: 'reconnect', service });
export const clearStatus: Repair = { do: 'clear_status' };
export const syncAgain: Repair = { do: 'sync_again' };
export const postAgain: Repair = { do: 'post_again' };
export const updateAccounting = { do: 'update_accounting' } as const satisfies Repair;
export const applyMoney: Repair = { do: 'apply_money' };
export const createPayment: Repair = { do: 'create_payment' };
export const refreshLists: Repair = { do: 'refresh_lists' };

/** Repair that a person makes in QuickBooks or the PSA. */
export const openIn = (service: ServiceSide, what: string, url?: string): Repair =>
  url === undefined ? { do: 'open_in_service', service, what } : { do: 'open_in_service', service, what, url };

import { type MappingNamespace, mappingNamespaces } from '#core/mapping/mapping.ts';
import type { Side } from '#core/planning/update-merge.ts';
import { settingDefinitions, type SettingKey } from '#core/settings/definitions.ts';

/** A repair that this screen offers, parsed from the API. */
export type KnownRepair =
  | MapRepair
  | CreateRepair
  | { readonly do: 'choose_setting'; readonly key: SettingKey }
  | { readonly do: 'reconnect' | 'clear_status' | 'refresh_lists' | 'apply_money' | 'create_payment' }
  | { readonly do: 'update_accounting'; readonly prefers: Side | null }
  | { readonly do: 'open_in_service'; readonly what: string; readonly url: string | undefined };

export interface MapRepair {
  readonly do: 'map';
  readonly namespace: MappingNamespace;
  readonly sourceEntity: string;
  readonly sourceValue: string;
  readonly sourceLabel: string;
  readonly candidates: readonly { readonly value: string; readonly label: string }[];
}

/** Creates a new customer or vendor with this name; stored as a mapping. */
export interface CreateRepair extends Omit<MapRepair, 'do' | 'candidates'> {
  readonly do: 'create_as';
  readonly name: string;
}

const actionsWithoutDetails = ['reconnect', 'clear_status', 'refresh_lists', 'apply_money', 'create_payment'] as const;

/** Parses one repair; returns null if this screen has no button for it. */
export function readRepair(reply: Readonly<Record<string, unknown>>): KnownRepair | null {
  const what = reply['do'];
  const action = actionsWithoutDetails.find((one) => one === what);
  if (action !== undefined) return { do: action };
  if (what === 'update_accounting') {
    const { prefers } = reply;
    return { do: 'update_accounting', prefers: prefers === 'psa' || prefers === 'accounting' ? prefers : null };
  }
  if (what === 'map') return readMap(reply);
  if (what === 'create_as') {
    const [source, name] = [readMap(reply), text(reply['name'])];
    return source === null || name === null ? null : { ...source, do: 'create_as', name };
  }
  if (what === 'choose_setting') {
    const key = reply['key'];
    return typeof key === 'string' && isSettingKey(key) && settingDefinitions[key].type === 'account'
      ? { do: 'choose_setting', key }
      : null;
  }
  if (what === 'open_in_service') {
    const { url } = reply;
    return typeof url === 'string' && url.startsWith('https://')
      ? { do: 'open_in_service', what: text(reply['what']) ?? 'it', url }
      : null;
  }
  return null;
}

function readMap(reply: Readonly<Record<string, unknown>>): MapRepair | null {
  const namespace = text(reply['namespace']);
  const [sourceEntity, sourceValue] = [text(reply['sourceEntity']), text(reply['sourceValue'])];
  if (namespace === null || sourceEntity === null || sourceValue === null || !isNamespace(namespace)) return null;
  const candidates: readonly unknown[] = Array.isArray(reply['candidates']) ? reply['candidates'] : [];
  return {
    do: 'map',
    namespace,
    sourceEntity,
    sourceValue,
    sourceLabel: text(reply['sourceLabel']) ?? sourceValue,
    candidates: candidates.flatMap((one) => {
      if (typeof one !== 'object' || one === null) return [];
      const { value, label }: { value?: unknown; label?: unknown } = { ...one };
      return typeof value === 'string' ? [{ value, label: text(label) ?? value }] : [];
    }),
  };
}

const isNamespace = (name: string): name is MappingNamespace => Object.hasOwn(mappingNamespaces, name);
const isSettingKey = (name: string): name is SettingKey => Object.hasOwn(settingDefinitions, name);
const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Returns the mapping of a repair's record to a QuickBooks record, as the API saves it. */
export const mappingOf = (
  repair: MapRepair | CreateRepair,
  { value, label }: { readonly value: string; readonly label: string },
) => ({
  source_entity: repair.sourceEntity,
  source_value: repair.sourceValue,
  source_value_label: repair.sourceLabel,
  target_entity: mappingNamespaces[repair.namespace].target,
  target_value: value,
  target_value_label: label,
});

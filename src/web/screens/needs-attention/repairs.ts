import { type MappingNamespace, mappingNamespaces } from '#core/mapping/mapping.ts';
import { settingDefinitions, type SettingKey } from '#core/settings/definitions.ts';

/** A repair that a screen can offer, read from the wire: what it does not know there is left out. */
export type KnownRepair =
  | MapRepair
  | CreateRepair
  | { readonly do: 'choose_setting'; readonly key: SettingKey }
  | { readonly do: 'reconnect' | 'clear_status' | 'refresh_lists' | 'update_books' }
  | { readonly do: 'open_in_service'; readonly what: string; readonly url: string | undefined };

export interface MapRepair {
  readonly do: 'map';
  readonly namespace: MappingNamespace;
  readonly sourceEntity: string;
  readonly sourceValue: string;
  readonly sourceLabel: string;
  readonly candidates: readonly { readonly value: string; readonly label: string }[];
}

/** Creation of a customer or vendor with a name of its own, saved as a mapping. */
export interface CreateRepair extends Omit<MapRepair, 'do' | 'candidates'> {
  readonly do: 'create_as';
  readonly name: string;
}

const simple = ['reconnect', 'clear_status', 'refresh_lists', 'update_books'] as const;

/** Reads one repair; null for one that no button here does. */
export function readRepair(wire: Readonly<Record<string, unknown>>): KnownRepair | null {
  const what = wire['do'];
  const plain = simple.find((one) => one === what);
  if (plain !== undefined) return { do: plain };
  if (what === 'map') return readMap(wire);
  if (what === 'create_as') {
    const [source, name] = [readMap(wire), text(wire['name'])];
    return source === null || name === null ? null : { ...source, do: 'create_as', name };
  }
  if (what === 'choose_setting') {
    const key = wire['key'];
    return typeof key === 'string' && isSettingKey(key) && settingDefinitions[key].type === 'account'
      ? { do: 'choose_setting', key }
      : null;
  }
  if (what === 'open_in_service') {
    const { url } = wire;
    return typeof url === 'string' && url.startsWith('https://')
      ? { do: 'open_in_service', what: text(wire['what']) ?? 'it', url }
      : null;
  }
  return null;
}

function readMap(wire: Readonly<Record<string, unknown>>): MapRepair | null {
  const namespace = text(wire['namespace']);
  const [sourceEntity, sourceValue] = [text(wire['sourceEntity']), text(wire['sourceValue'])];
  if (namespace === null || sourceEntity === null || sourceValue === null || !isNamespace(namespace)) return null;
  const candidates: readonly unknown[] = Array.isArray(wire['candidates']) ? wire['candidates'] : [];
  return {
    do: 'map',
    namespace,
    sourceEntity,
    sourceValue,
    sourceLabel: text(wire['sourceLabel']) ?? sourceValue,
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

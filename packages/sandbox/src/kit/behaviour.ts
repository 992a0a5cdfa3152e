import { BadInput, objectWith } from './input.ts';

/** One uncertain point about the real service. */
export type SwitchDefinition =
  | { readonly sentence: string; readonly default: boolean }
  | { readonly sentence: string; readonly default: string; readonly values: readonly string[] }
  | { readonly sentence: string; readonly default: number; readonly min: number; readonly max: number };

type Definitions = Readonly<Record<string, SwitchDefinition>>;
type ValueOf<D> = D extends { readonly values: readonly (infer V)[] }
  ? V
  : D extends { readonly default: boolean }
    ? boolean
    : D extends { readonly default: number }
      ? number
      : never;

/** A switch as `GET /__sandbox/behaviour` lists it. */
export interface DescribedSwitch {
  readonly name: string;
  readonly sentence: string;
  readonly value: boolean | string | number;
  readonly default: boolean | string | number;
  /** The allowed values: a list, or the bounds of a number. */
  readonly allowed: readonly (boolean | string)[] | { readonly min: number; readonly max: number };
}

/** The switches of a service. `get` is typed by the definitions, so a misspelled name does not compile. */
export interface Behaviour<D extends Definitions = Definitions> {
  get<K extends keyof D & string>(name: K): ValueOf<D[K]>;
  describe(): readonly DescribedSwitch[];
  /**
   * Changes switches from `{name: value, …}`, all or nothing. Throws BadInput that names the error and the allowed
   * values.
   */
  change(body: unknown): void;
  reset(): void;
}

/** Creates switches with their default values. Write the definitions `as const`, so that values are typed. */
export function createBehaviour<const D extends Definitions>(definitions: D): Behaviour<D> {
  const defaults = (): Map<string, boolean | string | number> =>
    new Map(Object.entries(definitions).map(([name, definition]) => [name, definition.default]));
  let values = defaults();

  const check = (name: string, value: unknown): boolean | string | number => {
    const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    if (definition === undefined)
      throw new BadInput(`behaviour has no “${name}”. It may have: ${Object.keys(definitions).join(', ')}.`);
    if ('values' in definition) {
      if (typeof value === 'string' && definition.values.includes(value)) return value;
      throw new BadInput(`${name} must be one of: ${definition.values.join(', ')}.`);
    }
    if ('min' in definition) {
      if (typeof value === 'number' && value >= definition.min && value <= definition.max) return value;
      throw new BadInput(`${name} must be a number from ${definition.min} to ${definition.max}.`);
    }
    if (typeof value === 'boolean') return value;
    throw new BadInput(`${name} must be true or false.`);
  };

  return {
    // Every value passed `check` or is a default, so it has the type of its definition.
    get: <K extends keyof D & string>(name: K) => values.get(name) as ValueOf<D[K]>,
    describe: () =>
      Object.entries(definitions).map(([name, definition]) => ({
        name,
        sentence: definition.sentence,
        value: values.get(name) ?? definition.default,
        default: definition.default,
        allowed:
          'values' in definition
            ? definition.values
            : 'min' in definition
              ? { min: definition.min, max: definition.max }
              : [true, false],
      })),
    change(body) {
      const wanted = objectWith(body, undefined, 'behaviour');
      const checked = Object.entries(wanted).map(([name, value]) => [name, check(name, value)] as const);
      for (const [name, value] of checked) values.set(name, value);
    },
    reset() {
      values = defaults();
    },
  };
}

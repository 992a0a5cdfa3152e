import type { Actor } from './records/audit.ts';
import { Refusal } from './refusal.ts';

/** Values of a form by field. */
export type FieldValues = Readonly<Record<string, unknown>>;

/** Name of a field and its stored value, for people. */
export interface FieldText {
  readonly label: string;
  readonly value: string;
}

/** Thrown when stored values differ from those that a form read; a flow converts it to a {@link Refusal}. */
export class ChangedMeanwhile extends Error {
  /** The fields whose stored values differ. */
  readonly keys: readonly string[];
  readonly stored: FieldValues;

  constructor(keys: readonly string[], stored: FieldValues) {
    super('stored values differ from those that the form read');
    this.name = 'ChangedMeanwhile';
    this.keys = keys;
    this.stored = stored;
  }
}

/**
 * Checks that a form saw the stored values of its fields.
 *
 * @param was values that the form read; absent when the caller sends none. Fields that it does not name are not checked.
 * @param wanted values that the caller sends. A field that already has the wanted value is no conflict.
 * @throws ChangedMeanwhile
 */
export function requireUnchanged(
  was: FieldValues | null | undefined,
  stored: FieldValues,
  wanted: FieldValues = {},
): void {
  const keys = Object.entries(was ?? {})
    .filter(([key, value]) => {
      const now = asText(stored[key]);
      return value !== undefined && now !== asText(value) && !(key in wanted && now === asText(wanted[key]));
    })
    .map(([key]) => key);
  if (keys.length > 0) throw new ChangedMeanwhile(keys, stored);
}

const asText = (value: unknown): string => JSON.stringify(value ?? null);

/** Maximum fields that a refusal lists with who changed them. */
export const maxListedConflicts = 100;
/** Maximum fields that the message names. */
const maxNamed = 20;

/**
 * Returns the refusal for fields that another user changed after the form was opened. It lists the first 100.
 *
 * @param authors who saved the stored values, by field; absent or null where it is not known.
 * @param self the user who is refused.
 * @param plural what the fields are called in a message about several.
 */
export function changedRefusal(
  { keys, stored }: Pick<ChangedMeanwhile, 'keys' | 'stored'>,
  {
    textOf,
    authors = {},
    self,
    plural = 'fields',
  }: {
    readonly textOf: (key: string, stored: FieldValues) => FieldText;
    readonly authors?: Readonly<Record<string, Actor | null>>;
    readonly self: Actor;
    readonly plural?: string | undefined;
  },
): Refusal {
  const fields = keys.slice(0, maxListedConflicts).map((key) => {
    const { label, value } = textOf(key, stored);
    return {
      key,
      label,
      error: `${whoOf(authors[key] ?? null, self)} changed this to “${value}” after you opened it.`,
    };
  });
  const [first] = fields;
  const labels = fields.slice(0, maxNamed).map(({ label }) => `“${label}”`);
  const more = keys.length - labels.length;
  const named = `${labels.join(', ')}${more > 0 ? ` and ${more.toLocaleString('en-US')} more` : ''}`;
  const message =
    first !== undefined && keys.length === 1
      ? `“${first.label}”: ${first.error} Nothing was saved.`
      : `${keys.length.toLocaleString('en-US')} ${plural} were changed after you opened them: ${named}. Nothing was saved.`;
  return new Refusal(
    'conflict',
    'changed_meanwhile',
    message,
    fields.map(({ key, error }) => ({ key, error })),
  );
}

function whoOf(author: Actor | null, self: Actor): string {
  const of = ({ username, masquerader }: Actor) => masquerader ?? username;
  if (author === null) return 'Another user';
  return of(author) === of(self) ? 'You, in another window,' : of(author);
}

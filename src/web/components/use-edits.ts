import { useEffect, useRef, useState } from 'react';
import {
  changesOf,
  conflictsOf,
  type Edits,
  type FieldValue,
  type FieldValues,
  without,
  withEdit,
} from '../data/edits.ts';
import { fieldsOf } from './form.tsx';

type Errors = Readonly<Record<string, string>>;

/**
 * The edits of a form that several users can save at once, with the errors of the last attempt to save them. A field
 * that another user saved differently is a conflict: the user takes the saved value or keeps the own one.
 *
 * @param saved the newest saved values, also those that arrive while the form is open.
 * @param recovered edits of an earlier session.
 */
export function useEdits(saved: FieldValues, recovered: Edits | null = null) {
  const [edits, setEdits] = useState<Edits>(recovered ?? {});
  const [rejected, setRejected] = useState<Errors | null>(null);
  const draft: FieldValues = {
    ...saved,
    ...Object.fromEntries(Object.entries(edits).map(([key, { value }]) => [key, value])),
  };
  const settle = (key: string, change: (known: Edits) => Edits) => {
    setEdits(change);
    setRejected((known) => (known === null ? null : without(known, key)));
  };
  return {
    edits,
    draft,
    /** Edits that would change something. */
    changes: changesOf(saved, draft),
    conflicts: conflictsOf(saved, edits),
    /** Errors by field; null before the first rejection. */
    rejected,
    reject: (errors: Errors): void => setRejected(errors),
    change: (key: string, value: FieldValue): void => settle(key, (known) => withEdit(known, saved, key, value)),
    /** Replaces all edits. */
    fill: (values: FieldValues): void =>
      setEdits(Object.entries(values).reduce<Edits>((known, [key, value]) => withEdit(known, saved, key, value), {})),
    discard: (): void => {
      setEdits({});
      setRejected(null);
    },
    /** Uses the other user’s value of a conflict. */
    takeSaved: (key: string): void => settle(key, (known) => without(known, key)),
    /** Keeps this user’s value of a conflict; saving overwrites the other one. */
    keepOwn: (key: string): void =>
      settle(key, (known) => ({ ...known, [key]: { base: saved[key] ?? null, value: known[key]?.value ?? null } })),
  };
}

/**
 * The edits of a dialog whose call saves them.
 *
 * @param call whose error is shown at its field, or in the dialog if no field shows it.
 * @returns the edits; `errorOf` a field; `state`: the props of a `DialogForm`.
 */
export function useDialogEdits(
  saved: FieldValues,
  call: { readonly error: Error | null; readonly isPending: boolean },
) {
  const editing = useEdits(saved);
  const { error, isPending } = call;
  const fields = fieldsOf(error);
  const { reject, rejected } = editing;
  const isNew = useRef(false);
  useEffect(() => {
    if (error === null) return;
    isNew.current = true;
    reject(fieldsOf(error));
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only a new error is shown
  }, [error]);
  // Now the errors are on the screen.
  useEffect(() => {
    if (!isNew.current) return;
    isNew.current = false;
    focusFirstError();
  }, [rejected]);
  const isAtField = Object.keys(fields).some((name) => name in editing.draft);
  return {
    ...editing,
    errorOf: (key: string): string | null => editing.rejected?.[key] ?? null,
    state: { error: isAtField ? null : (error?.message ?? null), isBusy: isPending },
  };
}

/** Focuses the first field of the dialog that has an error. */
function focusFirstError(): void {
  const shown = document.querySelector('[role="dialog"] :is(.mantine-InputWrapper-error, .mantine-Checkbox-error)');
  const field = shown?.closest('.mantine-Checkbox-root') ?? shown?.parentElement;
  field?.scrollIntoView({ block: 'center' });
  field?.querySelector<HTMLElement>('input, select, textarea')?.focus({ preventScroll: true });
}

/** The state of a form that {@link useEdits} returns. */
export type EditedForm = ReturnType<typeof useEdits>;

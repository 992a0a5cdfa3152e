import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Subscription } from '#contract/subscription.ts';
import { resetSettings, saveSettings } from '#contract/calls/settings.ts';
import type { SettingTab } from '#core/settings/definition.ts';
import { CallError } from '../../data/call.ts';
import { savedMs, showError, showProgress, showSuccess } from '../../components/flash.ts';
import { useAction } from '../../data/queries.ts';
import { missingSettingsQuery } from '../../data/setup-queries.ts';
import { takeUnsavedInput } from '../../components/unsaved-input.tsx';
import { conflictText } from '../../components/conflict-choice.tsx';
import { useEdits } from '../../components/use-edits.ts';
import { useFocus } from '../../components/use-focus.ts';
import { changesOf, type Edits, toSend, undoOf } from '../../data/edits.ts';
import {
  errorText,
  fieldsInOrder,
  formatValue,
  relatedOf,
  shownOnly,
  type SettingsConfigReply,
  type SettingValues,
  trimmed,
} from './form.ts';

/**
 * State of the settings form: edits with the saved values they started from, errors by key, and the calls.
 *
 * @param openTab shows a tab before its field is focused.
 * @param focusesMissing whether a missing setting gets the focus; not when the address names another place.
 */
export function useSettingsForm({
  saved,
  config,
  subscription,
  openTab,
  focusesMissing,
}: {
  saved: SettingValues;
  config: SettingsConfigReply;
  subscription: Subscription | null | undefined;
  openTab: (tab: SettingTab) => void;
  focusesMissing: boolean;
}) {
  const [recovered] = useState(() => takeUnsavedInput('settings') as Edits | null);
  const editing = useEdits(saved, recovered);
  const { edits, draft, changes, conflicts, rejected } = editing;
  const focus = useFocus('setting');
  const missing = useMissing(subscription);

  const conflictErrors = Object.fromEntries(
    conflicts.map((key) => [key, conflictText(formatValue(config[key], saved[key] ?? null))]),
  );
  const errors = { ...conflictErrors, ...(rejected ?? unchangedOnly(missing ?? {}, edits)) };

  const focusFirst = (fields: Readonly<Record<string, string>>) => {
    const [first] = fieldsInOrder(config, fields);
    const entry = first === undefined ? undefined : config[first];
    if (first === undefined || entry === undefined) return;
    openTab(entry.tab);
    focus(first);
  };
  const keepFocus = useFirstMissing(focusesMissing ? missing : undefined, focusFirst);

  const finish = (message: string, undoSave?: () => unknown) => {
    keepFocus();
    editing.discard();
    showSuccess(message, savedMs, undoSave);
  };
  const reject = (error: Error) => {
    const fields = error instanceof CallError ? error.fields : {};
    editing.reject(fields);
    focusFirst(fields);
    showError(errorText(config, fields) ?? error.message);
  };
  const { before, save, undo, reset, isBusy } = useCalls(saved, finish, reject);
  return {
    ...editing,
    errors,
    isRecovered: recovered !== null && Object.keys(edits).length > 0,
    /** The values before the last Restore Defaults; null if there is nothing to undo. */
    before: before?.values ?? null,
    isBusy,
    isSaving: save.isPending,
    isResetting: reset.isPending,
    /** Focuses a field of the open tab. */
    focus: (key: string): void => {
      if (config[key] !== undefined) focus(key);
    },
    submit: (): void => {
      const [conflict] = fieldsInOrder(config, conflictErrors);
      if (conflict !== undefined) return focusFirst(conflictErrors);
      showProgress('Saving settings...');
      // The server compares what this user saw with what is stored now.
      const sent = toSend(saved, edits, relatedOf(config, Object.keys(changes)));
      return save.mutate({ body: { ...trimmed(shownOnly(config, draft, sent.changes)), was: sent.was } });
    },
    restore: () => reset.mutate({ body: { was: saved } }),
    undo: () => before !== null && undo.mutate({ body: { ...before.values, was: before.restored } }),
  };
}

/**
 * Focuses the first missing setting when the form opens, not after a change.
 *
 * @returns a function to call at the first change
 */
function useFirstMissing(
  missing: Readonly<Record<string, string>> | undefined,
  focusFirst: (fields: Readonly<Record<string, string>>) => void,
): () => void {
  const isUnchanged = useRef(true);
  const hasMissing = missing !== undefined && Object.keys(missing).length > 0;
  useEffect(() => {
    if (hasMissing && isUnchanged.current) focusFirst(missing);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only the first response moves the focus
  }, [hasMissing]);
  return () => {
    isUnchanged.current = false;
  };
}

/** Returns the error of each required setting that is missing; undefined while it is unknown. */
function useMissing(subscription: Subscription | null | undefined) {
  const found = useQuery({
    ...missingSettingsQuery(),
    enabled:
      subscription?.settings_valid === false && subscription.connections.every(({ status }) => status === 'active'),
    // The Overview may have asked before the last change.
    refetchOnMount: 'always',
  });
  return found.isFetchedAfterMount ? found.data : undefined;
}

/** Saves settings, restores the defaults, and undoes both. `before` is null while no restored defaults can be undone. */
function useCalls(
  saved: SettingValues,
  finish: (message: string, undoSave?: () => unknown) => void,
  reject: (error: Error) => void,
) {
  const [before, setBefore] = useState<{ values: SettingValues; restored: SettingValues } | null>(null);
  const names = ['settings', 'subscription'] as const;
  const undo = useAction(saveSettings, {
    onSuccess: () => {
      setBefore(null);
      finish('Your settings are back.');
    },
    onError: reject,
    changes: names,
  });
  const save = useAction(saveSettings, {
    onSuccess: ({ settings }, { body }) => {
      setBefore(null);
      finish('Saved changes.', () => undo.mutate({ body: undoOf(body, settings) }));
    },
    onError: reject,
    changes: names,
  });
  const reset = useAction(resetSettings, {
    onSuccess: ({ settings }) => {
      const values = changesOf(settings, saved);
      setBefore({ values, restored: changesOf(saved, settings) });
      finish('Settings reset to defaults.');
    },
    onError: reject,
    changes: names,
  });
  const isBusy = save.isPending || reset.isPending || undo.isPending;
  return { before, save, undo, reset, isBusy };
}

/** A field that the user has filled in is no longer missing. */
const unchangedOnly = (missing: Readonly<Record<string, string>>, edits: Edits): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(missing).filter(([key]) => edits[key] === undefined));

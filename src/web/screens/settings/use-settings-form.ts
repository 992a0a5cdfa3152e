import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Subscription } from '#contract/subscription.ts';
import { resetSettings, saveSettings } from '#contract/calls/settings.ts';
import type { SettingTab } from '#core/settings/definition.ts';
import { CallError } from '../../data/call.ts';
import { savedMs, showError, showMessage } from '../../components/flash.ts';
import { queryClient, useAction } from '../../data/queries.ts';
import { missingSettingsQuery, settingsQuery } from '../../data/setup-queries.ts';
import { takeUnsavedInput } from '../../components/unsaved-input.tsx';
import {
  changesOf,
  conflictsOf,
  type Edits,
  errorText,
  fieldsInOrder,
  shownOnly,
  type SettingsConfigReply,
  type SettingValue,
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
  const { edits, rejected, setRejected, discard, isRecovered, ...editing } = useEdits(saved);
  const [focused, setFocused] = useState<string | null>(null);
  const missing = useMissing(subscription);

  const draft: SettingValues = {
    ...saved,
    ...Object.fromEntries(Object.entries(edits).map(([key, { value }]) => [key, value])),
  };
  const changes = changesOf(saved, draft);
  const errors = rejected ?? unchangedOnly(missing ?? {}, edits);

  const focusFirst = (fields: Readonly<Record<string, string>>) => {
    const [first] = fieldsInOrder(config, fields);
    const entry = first === undefined ? undefined : config[first];
    if (first === undefined || entry === undefined) return;
    openTab(entry.tab);
    setFocused(first);
  };
  const keepFocus = useFirstMissing(focusesMissing ? missing : undefined, focusFirst);

  const finish = (message: string) => {
    keepFocus();
    discard();
    showMessage(message, savedMs);
  };
  const reject = (error: Error) => {
    const fields = error instanceof CallError ? error.fields : {};
    setRejected(fields);
    focusFirst(fields);
    showError(errorText(config, fields) ?? error.message);
  };
  const { before, save, undo, reset, ...calls } = useCalls(saved, finish, reject);
  const [isChecking, setChecking] = useState(false);
  const isBusy = calls.isBusy || isChecking;
  useFocus(focused, isBusy, () => setFocused(null));
  return {
    draft,
    edits,
    changes,
    errors,
    conflicts: conflictsOf(saved, edits),
    isRecovered,
    /** The values before the last Restore Defaults; null if there is nothing to undo. */
    before,
    isBusy,
    isSaving: save.isPending || isChecking,
    isResetting: reset.isPending,
    ...editing,
    discard,
    /** Focuses a field of the open tab. */
    focus: (key: string): void => {
      if (config[key] !== undefined) setFocused(key);
    },
    submit: async (): Promise<void> => {
      showMessage('Saving settings...');
      setChecking(true);
      // Another tab or user may have saved since this form was opened.
      const newest = await queryClient.fetchQuery({ ...settingsQuery(), staleTime: 0 }).catch(() => saved);
      setChecking(false);
      if (conflictsOf(newest, edits).length > 0) return;
      save.mutate({ body: trimmed(shownOnly(config, draft, changesOf(newest, draft))) });
    },
    restore: () => reset.mutate({}),
    undo: () => before !== null && undo.mutate({ body: before }),
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

/** The edits, with the errors of the last attempt to save them; null before the first. */
function useEdits(saved: SettingValues) {
  const [recovered] = useState(() => takeUnsavedInput('settings') as Edits | null);
  const [edits, setEdits] = useState<Edits>(recovered ?? {});
  const [rejected, setRejected] = useState<Readonly<Record<string, string>> | null>(null);
  return {
    edits,
    rejected,
    setRejected,
    isRecovered: recovered !== null && Object.keys(edits).length > 0,
    change: (key: string, value: SettingValue): void => {
      setEdits((known) => ({ ...known, [key]: { base: known[key]?.base ?? saved[key] ?? null, value } }));
      setRejected((known) => (known === null ? null : without(known, key)));
    },
    fill: (values: SettingValues): void => {
      setEdits(
        Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { base: saved[key] ?? null, value }])),
      );
    },
    discard: (): void => {
      setEdits({});
      setRejected(null);
    },
    /** Uses the other user’s value of a conflict. */
    takeSaved: (key: string) => setEdits((known) => without(known, key)),
    /** Keeps this user’s value of a conflict; saving overwrites the other one. */
    keepOwn: (key: string) =>
      setEdits((known) => ({ ...known, [key]: { base: saved[key] ?? null, value: known[key]?.value ?? null } })),
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

/** Saves settings, restores the defaults, and undoes that. `before` is null while there is nothing to undo. */
function useCalls(saved: SettingValues, finish: (message: string) => void, reject: (error: Error) => void) {
  const [before, setBefore] = useState<SettingValues | null>(null);
  const names = ['settings', 'subscription'] as const;
  const finishing = (message: string) => ({
    onSuccess: () => {
      setBefore(null);
      finish(message);
    },
    onError: reject,
    changes: names,
  });
  const save = useAction(saveSettings, finishing('Saved changes.'));
  const undo = useAction(saveSettings, finishing('Your settings are back.'));
  const reset = useAction(resetSettings, {
    onSuccess: ({ settings }) => {
      setBefore(changesOf(settings, saved));
      finish('Settings reset to defaults.');
    },
    onError: reject,
    changes: names,
  });
  const isBusy = save.isPending || reset.isPending || undo.isPending;
  return { before, save, undo, reset, isBusy };
}

/** Focuses a field. Fields are disabled while a call runs. */
function useFocus(key: string | null, isBusy: boolean, onFocused: () => void) {
  useEffect(() => {
    if (key === null || isBusy) return;
    const field = document.getElementById(`setting-${key}`);
    field?.scrollIntoView({ block: 'center' });
    field?.focus({ preventScroll: true });
    onFocused();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `onFocused` only resets the key
  }, [key, isBusy]);
}

const without = <Value>(known: Readonly<Record<string, Value>>, key: string): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(known).filter(([name]) => name !== key));

/** A field that the user has filled in is no longer missing. */
const unchangedOnly = (missing: Readonly<Record<string, string>>, edits: Edits): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(missing).filter(([key]) => edits[key] === undefined));

import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSearchParams } from '../../lib/router.tsx';
import { previewSettings, resetSettings, saveSettings } from '#contract/settings.ts';
import { settingTabs, type SettingTab } from '#core/settings/definition.ts';
import { call, CallError } from '../../lib/call.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { showError, showMessage } from '../../lib/flash.ts';
import { formWords, savedMs } from '../../lib/form-words.ts';
import { subscriptionQuery, useAction } from '../../lib/queries.ts';
import { booksPreferencesQuery, modulesQuery, settingsConfigQuery, settingsQuery } from '../../lib/setup-queries.ts';
import { readinessOf } from '../../lib/subscription.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { FailedState, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import {
  changesOf,
  groupsOf,
  tabKeys,
  tabsWithErrors,
  type SettingsConfigReply,
  type SettingValue,
  type SettingValues,
} from './form.ts';
import { SettingField } from './setting-field.tsx';
import { SettingGroup } from './setting-group.tsx';
import { SettingsFile } from './settings-file.tsx';
import { TimeZonePanel } from './time-zone.tsx';
import { noteOf, settingsWords, settingLabels } from './words.ts';
import styles from './settings.module.css';

/** How the client's documents are synced: a form that is drawn from what the server says of each setting. */
export function Component() {
  const settings = useQuery(settingsQuery());
  const config = useQuery(settingsConfigQuery());
  const failed = [settings, config].find((one) => one.isError && one.data === undefined);
  if (failed?.error !== undefined && failed.error !== null)
    return (
      <Page title={settingsWords.title}>
        <Panel>
          <FailedState
            what={settingLabels.theSettings}
            error={failed.error}
            onRetry={() => void Promise.all([settings.refetch(), config.refetch()])}
          />
        </Panel>
      </Page>
    );
  if (settings.data === undefined || config.data === undefined) return <Loading />;
  return <SettingsForm saved={settings.data} config={config.data} />;
}

function Loading() {
  return (
    <Page title={settingsWords.title} lead={<Skeleton width="40ch" />}>
      <Panel>
        <div className={styles.fields}>
          {Array.from({ length: 6 }, (_, at) => (
            <div key={at} className={styles.ghost}>
              <Skeleton width={140 + ((at * 37) % 80)} />
              <Skeleton width="min(360px, 100%)" height={34} />
            </div>
          ))}
        </div>
      </Panel>
    </Page>
  );
}

function SettingsForm({ saved, config }: { saved: SettingValues; config: SettingsConfigReply }) {
  const [query, setQuery] = useSearchParams();
  const [edited, setEdited] = useState<SettingValues>({});
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const { psa } = useEnvironment();
  const { data: subscription } = useQuery(subscriptionQuery());
  const { connectionsOk } = readinessOf(subscription);
  const isReadOnly = subscription !== undefined && !connectionsOk;
  const draft = { ...saved, ...edited };
  const changes = changesOf(saved, draft);
  const isChanged = Object.keys(changes).length > 0;
  const tab = tabKeys.find((key) => key === query.get('tab')) ?? 'invoices';
  const wrong = tabsWithErrors(config, errors);

  const settled = (message: string) => () => {
    setEdited({});
    setErrors({});
    showMessage(message, savedMs);
  };
  const refuse = (error: Error) => {
    const fields = error instanceof CallError ? error.fields : {};
    setErrors(fields);
    const first = tabsWithErrors(config, fields).values().next().value;
    if (first !== undefined && !tabsWithErrors(config, fields).has(tab)) openTab(first);
    showError(error.message);
  };
  const names = ['settings', 'subscription'] as const;
  const save = useAction(saveSettings, { onSuccess: settled(formWords.saved), onError: refuse, changes: names });
  const reset = useAction(resetSettings, {
    onSuccess: settled(settingsWords.reset),
    onError: refuse,
    changes: names,
  });
  const openTab = (key: SettingTab) =>
    setQuery(key === 'invoices' ? {} : { tab: key }, { replace: true, preventScrollReset: true });
  const change = (key: string, value: SettingValue) => {
    setEdited((before) => ({ ...before, [key]: value }));
    setErrors((before) => Object.fromEntries(Object.entries(before).filter(([name]) => name !== key)));
  };
  const isBusy = save.isPending || reset.isPending;
  const submit = () => {
    showMessage(settingsWords.saving);
    save.mutate({ body: trimmed(changes) });
  };

  return (
    <Page
      title={settingsWords.title}
      lead={settingsWords.lead(psa.label)}
      actions={
        <ConfirmButton
          label={formWords.restore}
          armedLabel={formWords.restoreArmed}
          onConfirm={() => reset.mutate({})}
          busy={reset.isPending}
          disabled={isReadOnly || isBusy}
        />
      }
    >
      {isReadOnly && <Notice tone="warning">{formWords.connectFirst(psa.label)}</Notice>}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged && !isReadOnly) submit();
        }}
      >
        <Panel flush>
          <Tabs
            label={settingLabels.settings}
            tabs={tabKeys.map((key) => ({
              key,
              label: settingTabs[key],
              warning: wrong.has(key) ? settingsWords.wrongTab : undefined,
            }))}
            open={tab}
            onOpen={openTab}
          >
            <div className={styles.body}>
              <TabNotes tab={tab} isConnected={connectionsOk} />
              {groupsOf(config, draft, tab).map(({ title, fields }) => (
                <SettingGroup key={title} title={title}>
                  {fields.map((field) => (
                    <SettingField
                      key={field.key}
                      field={field}
                      value={draft[field.key] ?? null}
                      error={errors[field.key]}
                      isReadOnly={isReadOnly || isBusy}
                      onChange={(value) => change(field.key, value)}
                    />
                  ))}
                </SettingGroup>
              ))}
              {tab === 'other' && <TimeZonePanel isReadOnly={isReadOnly} />}
              {tab === 'advanced' && (
                <SettingsFile
                  saved={saved}
                  config={config}
                  isReadOnly={isReadOnly}
                  onRead={(values) => setEdited(values)}
                />
              )}
            </div>
          </Tabs>
          <div className={styles.foot}>
            <Effects changes={trimmed(changes)} isChanged={isChanged && !isReadOnly} />
            <div className={styles.buttons}>
              <Button
                variant="default"
                disabled={!isChanged || isBusy}
                onClick={() => settledQuietly(setEdited, setErrors)}
              >
                {formWords.discard}
              </Button>
              <Button type="submit" loading={save.isPending} disabled={!isChanged || isReadOnly || reset.isPending}>
                {formWords.save}
              </Button>
            </div>
          </div>
        </Panel>
      </form>
    </Page>
  );
}

function settledQuietly(setEdited: (none: SettingValues) => void, setErrors: (none: Record<string, string>) => void) {
  setEdited({});
  setErrors({});
}

/** An empty entry of a list is one that was not typed to its end. */
const trimmed = (changes: Readonly<Record<string, SettingValue>>): Record<string, SettingValue> =>
  Object.fromEntries(
    Object.entries(changes).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.map((one: string) => one.trim()).filter((one) => one !== '') : value,
    ]),
  );

/** Read from the books' own JSON. */
function isMultiCurrency({ CurrencyPrefs: prefs }: Readonly<Record<string, unknown>>): boolean {
  return typeof prefs === 'object' && prefs !== null && 'MultiCurrencyEnabled' in prefs
    ? prefs.MultiCurrencyEnabled === true
    : false;
}

/** Facts of the services that concern a whole tab. */
function TabNotes({ tab, isConnected }: { tab: SettingTab; isConnected: boolean }) {
  const { psa } = useEnvironment();
  const modules = useQuery({ ...modulesQuery(), enabled: isConnected }).data;
  const preferences = useQuery({ ...booksPreferencesQuery(), enabled: isConnected }).data;
  const note = noteOf(tab, {
    psa: psa.label,
    hasProcurement: modules?.procurement ?? null,
    isMultiCurrency:
      modules === undefined || preferences === undefined
        ? null
        : { psa: modules.multi_currency, books: isMultiCurrency(preferences) },
  });
  return note === null ? null : <Notice tone={note.tone}>{note.text}</Notice>;
}

const typingMs = 400;

/** Says what saving would do to documents, while the form is being changed. */
function Effects({ changes, isChanged }: { changes: Record<string, SettingValue>; isChanged: boolean }) {
  const asked = JSON.stringify(changes);
  const [preview, setPreview] = useState<{ readonly asked: string; readonly effects: readonly string[] } | null>(null);
  useEffect(() => {
    if (!isChanged) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      call(previewSettings, { body: JSON.parse(asked) as Record<string, never> }, abort.signal)
        .then(({ data }) => setPreview({ asked, effects: data.effects }))
        // Saving itself will say what is wrong; a preview that fails says nothing.
        .catch(() => setPreview({ asked, effects: [] }));
    }, typingMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [asked, isChanged]);
  const count = Object.keys(changes).length;
  return (
    <div className={styles.effects} aria-live="polite">
      {!isChanged ? (
        <span className={styles.dim}>{settingsWords.unchanged}</span>
      ) : (
        <>
          <span className={styles.dim}>{settingsWords.changed(count)}</span>
          {preview !== null && preview.effects.length > 0 && (
            <ul className={styles.effectList} data-stale={preview.asked !== asked}>
              {preview.effects.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          )}
        </>
      )}
    </div>
  );
}

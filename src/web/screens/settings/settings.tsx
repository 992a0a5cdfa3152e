import { useIsFetching, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { previewSettings } from '#contract/settings.ts';
import { settingTabs, type SettingTab } from '#core/settings/definition.ts';
import { call } from '../../lib/call.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { formWords } from '../../lib/form-words.ts';
import { ours, refreshAll, subscriptionQuery } from '../../lib/queries.ts';
import { Link, useSearchParams } from '../../lib/router.tsx';
import { booksPreferencesQuery, modulesQuery, settingsConfigQuery, settingsQuery } from '../../lib/setup-queries.ts';
import { readinessOf } from '../../lib/subscription.ts';
import { useUnsaved } from '../../lib/unsaved.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { FailedState, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import {
  groupsOf,
  shownValue,
  tabKeys,
  tabsWithErrors,
  trimmed,
  type SettingsConfigReply,
  type SettingValue,
  type SettingValues,
} from './form.ts';
import { SettingField } from './setting-field.tsx';
import { SettingGroup } from './setting-group.tsx';
import { SettingsFile } from './settings-file.tsx';
import { TimeZonePanel } from './time-zone.tsx';
import { useSettingsForm } from './use-settings-form.ts';
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
  const { psa } = useEnvironment();
  const { data: subscription } = useQuery(subscriptionQuery());
  const { connectionsOk } = readinessOf(subscription);
  const hasEnded = subscription?.status === 'suspended' || subscription?.status === 'cancelled';
  const isReadOnly = subscription !== undefined && (!connectionsOk || hasEnded);
  const tab = tabKeys.find((key) => key === query.get('tab')) ?? 'invoices';
  const openTab = (key: SettingTab) =>
    setQuery(key === 'invoices' ? {} : { tab: key }, { replace: true, preventScrollReset: true });
  const form = useSettingsForm({ saved, config, subscription, openTab });
  const { draft, errors, isBusy } = form;
  const isChanged = Object.keys(form.changes).length > 0;
  const wrong = tabsWithErrors(config, errors);
  const { dialog } = useUnsaved('settings', isChanged ? form.edits : null);
  const isRefreshing = useIsFetching({ queryKey: ours('settings') }) > 0;
  // The start date stays: moving it would post history.
  const restored = Object.entries(config).filter(
    ([key, { available, default: value }]) => available && key !== 'sync_start_date' && !sameValue(saved[key], value),
  ).length;

  return (
    <Page
      title={settingsWords.title}
      lead={settingsWords.lead(psa.label)}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<Icon name="refresh" size={16} />}
            disabled={isRefreshing}
            onClick={() => void Promise.all([refreshAll('settings'), refreshAll('subscription')])}
          >
            {formWords.refresh}
          </Button>
          <ConfirmButton
            label={formWords.restore}
            armedLabel={formWords.restoreArmed}
            effect={formWords.restoreEffect(restored)}
            onConfirm={form.restore}
            busy={form.isResetting}
            disabled={isReadOnly || isBusy}
          />
        </>
      }
    >
      {dialog}
      {hasEnded ? (
        <Notice tone="warning">{formWords.ended(subscription.status)}</Notice>
      ) : (
        isReadOnly && (
          <Notice tone="warning" action={<Link to="/connections">{formWords.connections}</Link>}>
            {formWords.connectFirst(psa.label)}
          </Notice>
        )
      )}
      {form.isRecovered && <Notice tone="info">{formWords.recovered}</Notice>}
      {form.before !== null && (
        <Notice
          tone="info"
          role="status"
          action={
            <Button variant="default" size="xs" disabled={isBusy} onClick={form.undo}>
              {formWords.undo}
            </Button>
          }
        >
          {formWords.restored(Object.keys(form.before).length)}
        </Notice>
      )}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged && !isReadOnly) void form.submit();
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
              {form.conflicts.map((key) => (
                <Conflict key={key} config={config[key]} saved={saved[key]} own={draft[key]} form={form} name={key} />
              ))}
              {groupsOf(config, draft, tab).map(({ title, fields }) => (
                <SettingGroup key={title} title={title}>
                  {fields.map((field) => (
                    <SettingField
                      key={field.key}
                      field={field}
                      value={draft[field.key] ?? null}
                      error={errors[field.key]}
                      isReadOnly={isReadOnly || isBusy}
                      onChange={(value) => form.change(field.key, value)}
                    />
                  ))}
                </SettingGroup>
              ))}
              {tab === 'other' && <TimeZonePanel isReadOnly={isReadOnly} />}
              {tab === 'advanced' && (
                <SettingsFile saved={saved} config={config} isReadOnly={isReadOnly} onRead={form.fill} />
              )}
            </div>
          </Tabs>
          <div className={styles.foot}>
            <Effects changes={trimmed(form.changes)} isChanged={isChanged && !isReadOnly} />
            <div className={styles.buttons}>
              <Button variant="default" disabled={!isChanged || isBusy} onClick={form.discard}>
                {formWords.discard}
              </Button>
              <Button
                type="submit"
                loading={form.isSaving}
                disabled={!isChanged || isReadOnly || isBusy || form.conflicts.length > 0}
              >
                {formWords.save}
              </Button>
            </div>
          </div>
        </Panel>
      </form>
    </Page>
  );
}

const sameValue = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** A setting that was saved elsewhere while it was edited here: both values, and the choice between them. */
function Conflict({
  name,
  config,
  saved,
  own,
  form,
}: {
  name: string;
  config: SettingsConfigReply[string] | undefined;
  saved: SettingValue | undefined;
  own: SettingValue | undefined;
  form: Pick<ReturnType<typeof useSettingsForm>, 'takeSaved' | 'keepOwn'>;
}) {
  return (
    <Notice
      tone="warning"
      role="alert"
      action={
        <span className={styles.row}>
          <Button variant="default" size="xs" onClick={() => form.takeSaved(name)}>
            {settingsWords.takeTheirs}
          </Button>
          <Button variant="default" size="xs" onClick={() => form.keepOwn(name)}>
            {settingsWords.keepYours}
          </Button>
        </span>
      }
    >
      <strong>{config?.label ?? name}</strong> {settingsWords.conflict}.{' '}
      {settingsWords.theirs(shownValue(config, saved ?? null))}. {settingsWords.yours(shownValue(config, own ?? null))}.
    </Notice>
  );
}

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

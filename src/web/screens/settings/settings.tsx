import { Box, Button, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useIsFetching, useQuery } from '@tanstack/react-query';
import { Fragment, useEffect, useState } from 'react';
import { type SettingTab, settingTabs } from '#core/settings/definition.ts';
import { useEnvironment } from '../../data/environment.ts';
import { scopedKey, refreshAll } from '../../data/queries.ts';
import { settingsPreviewQuery } from '../../data/screen-queries.ts';
import { Link, useLocation, useSearchParams } from 'react-router';
import {
  accountingPreferencesQuery,
  modulesQuery,
  settingsConfigQuery,
  settingsQuery,
} from '../../data/setup-queries.ts';
import { ConflictChoice } from '../../components/conflict-choice.tsx';
import { useUnsavedInput } from '../../components/unsaved-input.tsx';
import { Notice } from '../../components/notice.tsx';
import { FailedPanel, Page, Panel, PanelFoot } from '../../components/page.tsx';
import { RefreshButton } from '../../components/refresh-button.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import {
  type Field,
  type FieldGroup,
  findFields,
  groupsOf,
  formatValue,
  ownGroups,
  showsOwnGroup,
  tabKeys,
  tabsWith,
  trimmed,
  type SettingsConfigReply,
  type SettingValue,
  type SettingValues,
} from './form.ts';
import { SettingField } from './setting-field.tsx';
import { SettingGroup } from './setting-group.tsx';
import { RestoreButton, SettingsNotices, useSettingsAccess } from '../../components/settings-notices.tsx';
import { SettingsFile } from './settings-file.tsx';
import { TimeZonePanel } from './time-zone.tsx';
import { useSettingsForm } from './use-settings-form.ts';
import { noteOf } from './tab-note.ts';
import styles from './settings.module.css';
import { countOf } from '../../data/format.ts';

/** The client’s settings: a form rendered from the settings config of the server. */
export function Component() {
  const settings = useQuery(settingsQuery());
  const config = useQuery(settingsConfigQuery());
  if (settings.isLoadingError || config.isLoadingError)
    return (
      <Page title="Settings">
        <FailedPanel what="The settings" of={[settings, config]} />
      </Page>
    );
  if (settings.data === undefined || config.data === undefined) return <Loading />;
  return <SettingsForm saved={settings.data} config={config.data} />;
}

function Loading() {
  return (
    <Page title="Settings" lead={<Skeleton width="40ch" />}>
      <Panel>
        <Stack gap="md" miw={0}>
          {Array.from({ length: 6 }, (_, at) => (
            <Stack key={at} gap="sm">
              <Skeleton width={140 + ((at * 37) % 80)} />
              <Skeleton width="min(360px, 100%)" height={34} />
            </Stack>
          ))}
        </Stack>
      </Panel>
    </Page>
  );
}

function SettingsForm({ saved, config }: { saved: SettingValues; config: SettingsConfigReply }) {
  const [query, setQuery] = useSearchParams();
  const { psa } = useEnvironment();
  const { subscription, connectionsOk, isReadOnly } = useSettingsAccess();
  const { hash } = useLocation();
  const [find, setFind] = useState('');
  const tab = tabIn(query, hash, config);
  const openTab = (key: SettingTab) => {
    setFind('');
    setQuery(key === 'invoices' ? {} : { tab: key }, { replace: true, preventScrollReset: true });
  };
  const hasTarget = query.has('tab') || hash !== '';
  const form = useSettingsForm({ saved, config, subscription, openTab, focusesMissing: !hasTarget });
  useAnchor(form.focus);
  const { errors, isBusy } = form;
  const isChanged = Object.keys(form.changes).length > 0;
  const [invalidTabs, changedTabs] = [tabsWith(config, errors), tabsWith(config, form.changes)];
  const { dialog } = useUnsavedInput('settings', isChanged ? form.edits : null);
  const isRefreshing = useIsFetching({ queryKey: scopedKey('settings') }) > 0;
  return (
    <Page
      title="Settings"
      lead={`What is synced from ${psa.label} to QuickBooks, and how. Changes apply from the next sync.`}
      actions={
        <>
          <RefreshButton isDisabled={isRefreshing} onPress={() => void refreshAll('settings', 'subscription')} />
          <RestoreButton
            count={countChanged(saved, config)}
            onConfirm={form.restore}
            busy={form.isResetting}
            disabled={isReadOnly || isBusy}
          />
        </>
      }
    >
      {dialog}
      <SettingsNotices form={form} />
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged && !isReadOnly) form.submit();
        }}
      >
        <Panel flush>
          <Tabs
            label="Settings"
            tabs={tabKeys.map((key) => ({
              key,
              label: settingTabs[key],
              warning: invalidTabs.has(key) ? 'This tab has errors' : undefined,
              unsaved: changedTabs.has(key) ? 'Changes are not saved' : undefined,
            }))}
            open={tab}
            onOpen={openTab}
          >
            <TabBody {...{ tab, saved, config, form, isReadOnly, connectionsOk }} find={find} onFind={setFind} />
          </Tabs>
          <PanelFoot>
            <Effects changes={trimmed(form.changes)} isChanged={isChanged && !isReadOnly} />
            <Button variant="default" disabled={!isChanged || isBusy} onClick={form.discard}>
              Discard
            </Button>
            <Button type="submit" loading={form.isSaving} disabled={!isChanged || isReadOnly || isBusy}>
              Save
            </Button>
          </PanelFoot>
        </Panel>
      </form>
    </Page>
  );
}

/** Returns the tab in the address, or the tab of a setting in the address. */
const tabIn = (query: URLSearchParams, hash: string, config: SettingsConfigReply): SettingTab =>
  tabKeys.find((key) => key === query.get('tab')) ??
  config[hash.slice(1)]?.tab ??
  tabKeys.find((key) => hash.startsWith(`#${key}-`)) ??
  'invoices';

/** Counts the settings that Restore Defaults changes; not the start date, because that could post old documents. */
const countChanged = (saved: SettingValues, config: SettingsConfigReply): number =>
  Object.entries(config).filter(
    ([key, { available, default: value }]) => available && key !== 'sync_start_date' && !sameValue(saved[key], value),
  ).length;

interface TabBodyProps {
  tab: SettingTab;
  saved: SettingValues;
  config: SettingsConfigReply;
  form: ReturnType<typeof useSettingsForm>;
  isReadOnly: boolean;
  connectionsOk: boolean;
  /** Text that is searched for in all tabs. */
  find: string;
  onFind: (find: string) => void;
}

function TabBody({ tab, saved, config, form, isReadOnly, connectionsOk, find, onFind }: TabBodyProps) {
  const { draft, isBusy } = form;
  const groups = find === '' ? groupsOf(config, draft, tab) : findFields(config, draft, find);
  const showsTimeZone = showsOwnGroup('other', tab, find);
  const showsFile = showsOwnGroup('advanced', tab, find);
  return (
    <Stack gap="lg" p="md">
      <TabNotes tab={tab} isConnected={connectionsOk} />
      <div className={styles.finder}>
        <Sections tab={tab} groups={groupsOf(config, draft, tab)} find={find} onFind={onFind} />
        <Stack gap="lg" miw={0}>
          {groups.map((group) => (
            <SettingGroup key={group.id} anchor={group.id} title={group.title} help={group.help}>
              <Fields fields={group.fields} saved={saved} form={form} isReadOnly={isReadOnly || isBusy} />
            </SettingGroup>
          ))}
          {showsTimeZone && <TimeZonePanel isReadOnly={isReadOnly} />}
          {showsFile && <SettingsFile saved={saved} config={config} isReadOnly={isReadOnly} onRead={form.fill} />}
          {find !== '' && groups.length === 0 && !showsTimeZone && !showsFile && (
            <EmptyState icon="search">No setting matches.</EmptyState>
          )}
        </Stack>
      </div>
    </Stack>
  );
}

/** Focuses the field, or shows the group, that the address names, e.g. `/settings#inv_max_age_days`. */
function useAnchor(focus: (key: string) => void) {
  const { hash, key } = useLocation();
  useEffect(() => {
    const name = hash.slice(1);
    if (name === '') return;
    document.getElementById(name)?.scrollIntoView({ block: 'start' });
    focus(name);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only a navigation moves the focus
  }, [hash, key]);
}

interface SectionsProps {
  tab: SettingTab;
  groups: readonly Pick<FieldGroup, 'id' | 'title'>[];
  find: string;
  onFind: (text: string) => void;
}

/** The search, and links to the groups of the open tab. */
function Sections({ tab, groups, find, onFind }: SectionsProps) {
  const [query] = useSearchParams();
  return (
    <div className={styles.sections}>
      <SearchField label="Find settings" placeholder="Find a setting" value={find} onChange={onFind} />
      {find === '' && (
        <Box component="nav" aria-label={`Groups of ${settingTabs[tab]}`} mt="sm">
          {[...groups, ...Object.values(ownGroups).filter(({ id }) => id.startsWith(`${tab}-`))].map(
            ({ id, title }) => (
              <Link key={id} to={{ search: query.toString(), hash: id }} replace preventScrollReset>
                {title}
              </Link>
            ),
          )}
        </Box>
      )}
    </div>
  );
}

interface FieldsProps {
  fields: readonly Field[];
  saved: SettingValues;
  form: ReturnType<typeof useSettingsForm>;
  isReadOnly: boolean;
}

/** The fields of a group; its accounts are one table. */
function Fields({ fields, saved, form, isReadOnly }: FieldsProps) {
  const { draft, errors, change } = form;
  const isAccount = ({ config }: Field) => config.type === 'account';
  const first = fields.findIndex(isAccount);
  const show = (field: Field) => (
    <Fragment key={field.key}>
      <SettingField
        field={field}
        value={draft[field.key] ?? null}
        error={errors[field.key]}
        isReadOnly={isReadOnly}
        onChange={(value) => change(field.key, value)}
      />
      <ConflictChoice
        name={field.key}
        form={form}
        saved={formatValue(field.config, saved[field.key] ?? null)}
        own={formatValue(field.config, draft[field.key] ?? null)}
        onChosen={() => form.focus(field.key)}
      />
    </Fragment>
  );
  return (
    <>
      {fields.slice(0, Math.max(0, first)).map(show)}
      {first !== -1 && <div className={styles.accounts}>{fields.filter(isAccount).map(show)}</div>}
      {fields
        .slice(Math.max(0, first))
        .filter((field) => !isAccount(field))
        .map(show)}
    </>
  );
}

const sameValue = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** Reads the flag from the QuickBooks preferences. */
function isMultiCurrency({ CurrencyPrefs: prefs }: Readonly<Record<string, unknown>>): boolean {
  return typeof prefs === 'object' && prefs !== null && 'MultiCurrencyEnabled' in prefs
    ? prefs.MultiCurrencyEnabled === true
    : false;
}

/** A note about the services at the top of a tab. */
function TabNotes({ tab, isConnected }: { tab: SettingTab; isConnected: boolean }) {
  const { psa } = useEnvironment();
  const modules = useQuery({ ...modulesQuery(), enabled: isConnected }).data;
  const preferences = useQuery({ ...accountingPreferencesQuery(), enabled: isConnected }).data;
  const note = noteOf(tab, {
    psa: psa.label,
    hasProcurement: modules?.procurement ?? null,
    isMultiCurrency:
      modules === undefined || preferences === undefined
        ? null
        : { psa: modules.multi_currency, accounting: isMultiCurrency(preferences) },
  });
  return note === null ? null : <Notice tone={note.tone}>{note.text}</Notice>;
}

const typingMs = 400;

/** Shows what saving the current changes would do to documents. */
function Effects({ changes, isChanged }: { changes: Record<string, SettingValue>; isChanged: boolean }) {
  const key = JSON.stringify(changes);
  const [previewed] = useDebouncedValue(key, typingMs);
  // Saving reports errors; the preview does not.
  const preview = useQuery({
    ...settingsPreviewQuery(JSON.parse(previewed) as Record<string, never>),
    enabled: isChanged && previewed !== '{}',
    placeholderData: keepPreviousData,
    retry: false,
  });
  const effects = preview.data?.effects ?? [];
  const count = Object.keys(changes).length;
  return (
    <Stack gap="xs" justify="center" miw={0} mih={34} aria-live="polite">
      {!isChanged ? (
        <Box component="span" c="dimmed">
          No changes.
        </Box>
      ) : (
        <>
          <Box component="span" c="dimmed">
            {countOf(count, 'setting')} changed.
          </Box>
          {effects.length > 0 && (
            <ul className={styles.effectList} data-stale={previewed !== key || preview.isPlaceholderData}>
              {effects.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          )}
        </>
      )}
    </Stack>
  );
}

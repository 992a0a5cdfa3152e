import { Combobox, Group, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { kinds, type Mode, type SubmittableKind, submittableKinds } from '#core/kinds.ts';
import type { Role } from '#core/roles.ts';
import { settingTabs } from '#core/settings/definition.ts';
import type { LogHeadReply } from '#contract/logs.ts';
import { useEnvironment } from '../data/environment.ts';
import { findRows } from '../data/find-rows.ts';
import { formatDate, formatMoney } from '../data/format.ts';
import { subscriptionQuery } from '../data/queries.ts';
import { type HelpTitle, helpTitlesQuery } from '../data/help-titles.ts';
import { eligibleQuery, logsQuery } from '../data/screen-queries.ts';
import { settingsConfigQuery } from '../data/setup-queries.ts';
import { readinessOf } from '../data/subscription.ts';
import { documentPath, placeOf } from '../components/document-link.tsx';
import { Icon, type IconName } from '../components/icons.tsx';
import { Modal } from '../components/modal.tsx';
import { mayOpen, screens } from './screens.ts';
import styles from './keyboard.module.css';

/** An entry of the palette. */
interface PaletteItem {
  /** Unique; also a path, if choosing the item opens a page. */
  readonly key: string;
  readonly label: string;
  readonly icon: IconName;
  /** Shown at the end of the line. */
  readonly detail?: string | undefined;
  /** Further words that find it. */
  readonly words?: string;
  /** Default: opens the path. */
  readonly act?: () => void;
}

/** The dialogs that the palette can open. */
export interface PaletteActions {
  readonly onSync: (kind: SubmittableKind, mode: Mode) => void;
  readonly onShortcuts: () => void;
}

const typingMs = 250;
const minLetters = 2;
/** Entries of the log that a search reads; the newest of each document is shown. */
const searchedEntries = 30;
const maxPerGroup = 6;
const waitingMs = 5 * 60_000;

/** Starts an action, or opens a screen, a setting, a document or the documents of a customer. */
export function CommandPalette({
  roles,
  isOpen,
  onClose,
  ...actions
}: PaletteActions & {
  roles: readonly Role[];
  isOpen: boolean;
  onClose: () => void;
}) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      withCloseButton={false}
      size={640}
      attributes={{ content: { 'aria-label': 'Go to' } }}
      styles={{ body: { padding: 0 } }}
    >
      <Finder roles={roles} onDone={onClose} {...actions} />
    </Modal>
  );
}

function Finder({ roles, onDone, ...actions }: PaletteActions & { roles: readonly Role[]; onDone: () => void }) {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const combobox = useCombobox({ opened: true, onDropdownClose: onDone });
  const { selectFirstOption } = combobox;
  const groups = useGroups(text.trim(), roles, actions);
  const items = groups.flatMap((group) => group.items);
  const first = items[0]?.key;
  // Enter opens the first match.
  useEffect(() => {
    if (first !== undefined) selectFirstOption();
  }, [first, selectFirstOption]);

  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(key) => {
        const item = items.find((one) => one.key === key);
        onDone();
        if (item?.act === undefined) void navigate(key);
        else item.act();
      }}
    >
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          data-autofocus
          aria-label="Go to"
          placeholder="Run a command, or find a document, customer, setting or screen"
          variant="unstyled"
          leftSection={<Icon name="search" />}
          rightSection={<kbd>Esc</kbd>}
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </Combobox.EventsTarget>
      <Combobox.Options className={styles.goals ?? ''} aria-label="Results">
        {groups.map(({ title, items: own }) => (
          <Combobox.Group key={title} label={title}>
            {own.map(({ key, label, icon, detail }) => (
              <Combobox.Option key={key} value={key}>
                <Group gap={10} wrap="nowrap">
                  <Icon name={icon} />
                  <Text span inherit truncate flex={1}>
                    {label}
                  </Text>
                  <Text span c="dimmed" size="xs" style={{ whiteSpace: 'nowrap' }}>
                    {detail}
                  </Text>
                </Group>
              </Combobox.Option>
            ))}
          </Combobox.Group>
        ))}
        {items.length === 0 && <Combobox.Empty>No matches.</Combobox.Empty>}
      </Combobox.Options>
    </Combobox>
  );
}

interface ItemGroup {
  readonly title: string;
  readonly items: readonly PaletteItem[];
}

/** Returns the matches by group. What the server finds comes last, so that it moves no other match. */
function useGroups(text: string, roles: readonly Role[], actions: PaletteActions): readonly ItemGroup[] {
  const { data: subscription } = useQuery(subscriptionQuery());
  const { connectionsOk, settingsOk } = readinessOf(subscription);
  const { psa } = useEnvironment();
  const isAdmin = roles.includes('clientadmin');
  const canSync = isAdmin && connectionsOk && settingsOk;
  const config = useQuery({ ...settingsConfigQuery(), enabled: isAdmin && text !== '' }).data ?? {};
  const screenItems = screens
    .filter(
      (screen) =>
        screen.group !== null && mayOpen(screen, roles) && (screen.needsConnections !== true || connectionsOk),
    )
    .map(({ paths, label, icon }): PaletteItem => ({ key: paths[0], label, icon }));
  const isLogReader = screenItems.some(({ key }) => key === '/logs');
  const found = useFound(text, isLogReader, canSync);
  const articles = useQuery({ ...helpTitlesQuery(), enabled: text !== '' }).data ?? [];
  const settingItems = Object.entries(config).map(([key, { label, tab, help }]): PaletteItem => ({
    key: `/settings#${key}`,
    label,
    icon: 'settings',
    detail: settingTabs[tab],
    words: help,
  }));
  const matching = (items: readonly PaletteItem[]) =>
    findRows(items, text, ({ label, words, detail }) => `${label} ${words ?? ''} ${detail ?? ''}`) ?? [];
  return [
    { title: 'Commands', items: matching(canSync ? syncItems(actions) : []) },
    { title: 'Screens', items: matching(screenItems) },
    { title: 'Settings', items: text === '' ? [] : matching(settingItems).slice(0, maxPerGroup) },
    {
      title: 'Help',
      items: [
        ...matching([shortcutsItem(actions)]),
        ...(text === '' ? [] : matching(articles.map(articleItem)).slice(0, maxPerGroup)),
      ],
    },
    ...found,
    {
      title: 'Search',
      items: [
        ...(text === '' || !isLogReader ? [] : [logsItem(text, `Find “${text}” in the logs`)]),
        ...(canSync && idPattern.test(text) ? [invoiceItem(text, psa.label)] : []),
      ],
    },
  ].filter(({ items }) => items.length > 0);
}

const syncItems = ({ onSync }: PaletteActions): readonly PaletteItem[] =>
  (['test', 'live'] as const).flatMap((mode) =>
    submittableKinds.map((kind): PaletteItem => {
      const label = `${mode === 'test' ? 'Test sync' : 'Sync'} ${kinds[kind].plural.toLowerCase()}`;
      return { key: label, label, icon: 'refresh', words: mode, act: () => onSync(kind, mode) };
    }),
  );

const shortcutsItem = ({ onShortcuts }: PaletteActions): PaletteItem => ({
  key: 'shortcuts',
  label: 'Keyboard shortcuts',
  icon: 'keyboard',
  detail: '?',
  words: 'help keys',
  act: onShortcuts,
});

const articleItem = ({ path, title, page }: HelpTitle): PaletteItem => ({
  key: `/help/${path}`,
  label: title,
  icon: 'help',
  detail: page === title ? undefined : page,
  act: () => window.open(`/help/${path}`, '_blank', 'noopener'),
});

const logsItem = (search: string, label: string): PaletteItem => ({
  key: `/logs?q=${encodeURIComponent(search)}`,
  label,
  icon: 'logs',
});

const idPattern = /^\d{1,15}$/;

const invoiceItem = (id: string, psa: string): PaletteItem => ({
  key: `/my-invoices?by=id&id=${id}`,
  label: `Find ${psa} invoice ID ${id}`,
  icon: 'invoices',
});

/**
 * Finds documents and their customers in the log, after a pause in typing, and documents that are not synced yet.
 *
 * @param canSync whether the user can sync; false: finds only documents in the log
 */
function useFound(text: string, isEnabled: boolean, canSync: boolean): readonly ItemGroup[] {
  const [search] = useDebouncedValue(text, typingMs);
  const { data, isPlaceholderData } = useQuery({
    ...logsQuery({ q: search, sort: '-LastModified', page: 1, page_size: searchedEntries }),
    enabled: isEnabled && search.length >= minLetters,
    // A search that is too wide finds nothing here; the Logs screen explains it.
    retry: false,
  });
  const waiting = useWaiting(search, canSync && search.length >= minLetters);
  if (data === undefined || isPlaceholderData || text === '' || search !== text) return [];
  const documents = Map.groupBy(data.logs, ({ type, entityid }) => documentPath(placeOf(type, entityid))).values();
  const newest = [...documents].flatMap(([log]) => log ?? []);
  const parties = new Set(data.logs.flatMap(({ party }) => (party === null ? [] : [party])));
  return [
    { title: 'Documents', items: newest.slice(0, maxPerGroup).map((log) => documentItem(log)) },
    {
      title: 'Not synced yet',
      items: waiting
        .filter(
          ({ type, entityid }) =>
            !newest.some((log) => log.entityid === entityid && placeOf(log.type, entityid).kind === type),
        )
        .slice(0, maxPerGroup)
        .map((document) => documentItem(document)),
    },
    {
      title: 'Customers and vendors',
      items: (findRows([...parties], search, (party) => party) ?? [])
        .slice(0, maxPerGroup)
        .map((party) => ({ ...logsItem(party, party), icon: 'clients', detail: 'Documents in the logs' })),
    },
  ];
}

/** Finds documents that a sync would post now. The list of each kind is read once in five minutes. */
function useWaiting(search: string, isEnabled: boolean) {
  const lists = useQueries({
    queries: submittableKinds.map((kind) => ({
      ...eligibleQuery(kinds[kind].segment, false),
      enabled: isEnabled,
      staleTime: waitingMs,
      gcTime: waitingMs,
    })),
  });
  if (!isEnabled) return [];
  const waiting = lists.flatMap(({ data = [] }, index) =>
    data.flatMap((document) => {
      const type = submittableKinds[index];
      return type === undefined ? [] : [{ ...document, type }];
    }),
  );
  const searched = ({ entityid, number, party, amount, currency }: (typeof waiting)[number]) =>
    [entityid, number, party, amount, amount === null ? '' : formatMoney(amount, currency)].join(' ');
  return findRows(waiting, search, searched) ?? [];
}

type PaletteDocument = Pick<
  LogHeadReply,
  'type' | 'what' | 'number' | 'entityid' | 'party' | 'amount' | 'currency' | 'date'
>;

function documentItem({ type, what, number, entityid, party, amount, currency, date }: PaletteDocument): PaletteItem {
  return {
    key: documentPath(placeOf(type, entityid)),
    label: [`${what ?? kinds[type].label} ${number ?? entityid}`, party].filter((part) => part !== null).join(' · '),
    icon: type === 'purchase_order' ? 'orders' : type === 'expense_report' ? 'expenses' : 'invoices',
    detail: [amount === null ? null : formatMoney(amount, currency), date === null ? null : formatDate(date)]
      .filter((part) => part !== null)
      .join(' · '),
  };
}

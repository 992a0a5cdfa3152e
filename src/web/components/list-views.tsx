import { Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useSearchParams } from 'react-router';
import { IconButton } from './icon-button.tsx';
import { Icon } from './icons.tsx';
import { type ListView, useListDisplay } from './list-display.tsx';

const maxViews = 20;
const maxLetters = 60;
/** Parameters of the address that are not part of a view. */
const passing = ['page', 'key'];

/** Returns the tab, search, filters and order in an address, in a fixed order. */
export function viewOf(query: URLSearchParams): string {
  const view = new URLSearchParams([...query].filter(([name]) => !passing.includes(name)));
  view.sort();
  return view.toString();
}

/** Returns the views with one more; it replaces a view of the same name, and the oldest if there are too many. */
export const withView = (views: readonly ListView[], added: ListView): readonly ListView[] =>
  [...views.filter(({ name }) => name !== added.name), added].slice(-maxViews);

/** The saved views of a list: opens, saves, renames and deletes one. The address contains what a view shows. */
export function ViewsMenu({ list }: { list: string }) {
  const [query, setQuery] = useSearchParams();
  const [{ views }, change] = useListDisplay(list);
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [renamed, setRenamed] = useState<ListView | null>(null);
  const [deleted, setDeleted] = useState<ListView | null>(null);
  const shown = viewOf(query);
  const current = views.find((view) => view.query === shown);
  const save = (event: FormEvent) => {
    event.preventDefault();
    const others = views.filter((view) => view !== renamed);
    change({ views: withView(others, { name: name.trim(), query: renamed?.query ?? shown }) });
    setName('');
    setRenamed(null);
    setDeleted(null);
  };
  const remove = (view: ListView) => {
    change({ views: views.filter((one) => one !== view) });
    setDeleted(view);
    setRenamed(null);
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Button
          variant="default"
          aria-expanded={isOpen}
          rightSection={<Icon name="down" size={14} />}
          onClick={() => setOpen(!isOpen)}
        >
          {current?.name ?? 'Views'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="md">
        <Stack gap="sm" w={280}>
          {views.length === 0 && deleted === null && (
            <Text c="dimmed" size="sm">
              Save the tab, search, filters and order of this list under a name.
            </Text>
          )}
          {views.map((view) => (
            <Group key={view.name} gap="xs" wrap="nowrap">
              <Button
                variant="subtle"
                color={view === current ? 'accent' : 'gray'}
                flex={1}
                miw={0}
                justify="flex-start"
                aria-current={view === current || undefined}
                onClick={() => {
                  setOpen(false);
                  setQuery(new URLSearchParams(view.query), { preventScrollReset: true });
                }}
              >
                {view.name}
              </Button>
              <IconButton
                label={`Rename ${view.name}`}
                icon="edit"
                size={16}
                onPress={() => {
                  setRenamed(view);
                  setName(view.name);
                }}
              />
              <IconButton label={`Delete ${view.name}`} icon="trash" size={16} onPress={() => remove(view)} />
            </Group>
          ))}
          {deleted !== null && (
            <Group gap="sm" justify="space-between" role="status">
              <Text span size="sm">{`Deleted “${deleted.name}”.`}</Text>
              <Button
                variant="default"
                size="xs"
                onClick={() => {
                  change({ views: withView(views, deleted) });
                  setDeleted(null);
                }}
              >
                Undo
              </Button>
            </Group>
          )}
          <Group component="form" gap="sm" align="flex-end" wrap="nowrap" onSubmit={save}>
            <TextInput
              flex={1}
              label={renamed === null ? 'Save this view as' : `Rename “${renamed.name}”`}
              value={name}
              maxLength={maxLetters}
              autoComplete="off"
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" variant="default" disabled={name.trim() === ''}>
              Save
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

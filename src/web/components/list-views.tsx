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
    const others = views.filter((view) => view.name !== renamed?.name);
    change({ views: withView(others, { name: name.trim(), query: renamed?.query ?? shown }) });
    setName('');
    setRenamed(null);
    setDeleted(null);
  };
  const remove = (view: ListView) => {
    change({ views: views.filter((one) => one.name !== view.name) });
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
            <ViewRow
              key={view.name}
              name={view.name}
              isCurrent={view === current}
              onOpen={() => {
                setOpen(false);
                setQuery(new URLSearchParams(view.query), { preventScrollReset: true });
              }}
              onRename={() => {
                setRenamed(view);
                setName(view.name);
              }}
              onDelete={() => remove(view)}
            />
          ))}
          {deleted !== null && (
            <DeletedView
              name={deleted.name}
              onUndo={() => {
                change({ views: withView(views, deleted) });
                setDeleted(null);
              }}
            />
          )}
          <NameForm
            label={renamed === null ? 'Save this view as' : `Rename “${renamed.name}”`}
            name={name}
            onName={setName}
            onSubmit={save}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

interface NameFormProps {
  label: string;
  name: string;
  onName: (name: string) => void;
  onSubmit: (event: FormEvent) => void;
}

function NameForm({ label, name, onName, onSubmit }: NameFormProps) {
  return (
    <Group component="form" gap="sm" align="flex-end" wrap="nowrap" onSubmit={onSubmit}>
      <TextInput
        flex={1}
        label={label}
        value={name}
        maxLength={maxLetters}
        autoComplete="off"
        onChange={(event) => onName(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" disabled={name.trim() === ''}>
        Save
      </Button>
    </Group>
  );
}

function ViewRow({
  name,
  isCurrent,
  onOpen,
  onRename,
  onDelete,
}: {
  name: string;
  isCurrent: boolean;
  onOpen: () => void;
  onRename: () => void;
  onDelete: () => void;
}) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Button
        variant="subtle"
        color={isCurrent ? 'accent' : 'gray'}
        flex={1}
        miw={0}
        justify="flex-start"
        aria-current={isCurrent || undefined}
        onClick={onOpen}
      >
        {name}
      </Button>
      <IconButton label={`Rename ${name}`} icon="edit" size={16} onPress={onRename} />
      <IconButton label={`Delete ${name}`} icon="trash" size={16} onPress={onDelete} />
    </Group>
  );
}

function DeletedView({ name, onUndo }: { name: string; onUndo: () => void }) {
  return (
    <Group gap="sm" justify="space-between" role="status">
      <Text span size="sm">{`Deleted “${name}”.`}</Text>
      <Button variant="default" size="xs" onClick={onUndo}>
        Undo
      </Button>
    </Group>
  );
}

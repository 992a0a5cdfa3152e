import { ActionIcon, Checkbox, NativeSelect, Popover, SegmentedControl, Stack, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useState } from 'react';
import { asRecord } from '../data/json.ts';
import { Icon } from './icons.tsx';

const pageSizes = [10, 25, 50, 100] as const;
/** The lists of documents, mappings and logs have 10 rows per page (specification 2, section 9). */
export const fewRows = 10;
const densities = [
  { value: 'comfortable', label: 'Comfortable' },
  { value: 'compact', label: 'Compact' },
] as const;

/** A named state of a list. */
export interface ListView {
  readonly name: string;
  /** The parameters of the address. */
  readonly query: string;
}

/** How a user wants to see a list. The browser stores it. */
export interface ListDisplay {
  /** Keys of the columns that are not shown. */
  readonly hidden: readonly string[];
  readonly density: (typeof densities)[number]['value'];
  readonly pageSize: number;
  readonly views: readonly ListView[];
}

const defaultDisplay: ListDisplay = { hidden: [], density: 'comfortable', pageSize: fewRows, views: [] };

/**
 * Returns how the user wants to see the main list of a screen, and a function that changes it.
 *
 * @param list the name of the list; undefined means the default.
 * @param pageSize the default number of rows per page.
 */
export function useListDisplay(list = '', pageSize: number = fewRows) {
  const [all, setAll] = useLocalStorage<Readonly<Record<string, unknown>>>({
    key: 'lists',
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const display = readDisplay(asRecord(all)?.[list], pageSize);
  const change = (part: Partial<ListDisplay>) =>
    setAll((now) => ({ ...asRecord(now), [list]: { ...readDisplay(asRecord(now)?.[list], pageSize), ...part } }));
  return [display, change] as const;
}

/**
 * Reads how a user wants to see a list. Another version of the product may have stored it in another form: parts that are
 * not understood have their default.
 */
export function readDisplay(stored: unknown, pageSize: number): ListDisplay {
  const { hidden, density, pageSize: rows, views } = asRecord(stored) ?? {};
  return {
    hidden: Array.isArray(hidden) ? hidden.filter((key) => typeof key === 'string') : defaultDisplay.hidden,
    density: densities.find(({ value }) => value === density)?.value ?? defaultDisplay.density,
    pageSize: pageSizes.find((size) => size === rows) ?? pageSize,
    views: Array.isArray(views)
      ? views.flatMap((view: unknown) => {
          const { name, query } = asRecord(view) ?? {};
          return typeof name === 'string' && typeof query === 'string' ? [{ name, query }] : [];
        })
      : defaultDisplay.views,
  };
}

interface DisplayMenuProps {
  /** Names the list for screen readers. */
  label: string;
  columns: readonly { readonly key: string; readonly head: string }[];
  display: ListDisplay;
  onChange: (part: Partial<ListDisplay>) => void;
}

/**
 * The button that opens the display options of a list.
 *
 * @param columns the columns that can be hidden.
 */
export function DisplayMenu({ label, columns, display, onChange }: DisplayMenuProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus returnFocus shadow="md">
      <Popover.Target>
        <ActionIcon
          aria-label={`Columns and rows of ${label.toLowerCase()}`}
          title="Columns and rows"
          aria-expanded={isOpen}
          size="var(--tb-control)"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="columns" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p="md">
        <Stack gap="md" miw={220}>
          <Checkbox.Group
            label="Columns"
            value={columns.map(({ key }) => key).filter((key) => !display.hidden.includes(key))}
            onChange={(shown) =>
              onChange({ hidden: columns.map(({ key }) => key).filter((key) => !shown.includes(key)) })
            }
          >
            <Stack gap="xs" mt={6}>
              {columns.map(({ key, head }) => (
                <Checkbox key={key} value={key} label={head} />
              ))}
            </Stack>
          </Checkbox.Group>
          <Stack gap={6}>
            <Text span size="sm" fw={500}>
              Row height
            </Text>
            <SegmentedControl
              aria-label="Row height"
              data={[...densities]}
              value={display.density}
              onChange={(density) => onChange({ density })}
            />
          </Stack>
          <NativeSelect
            label="Rows per page"
            data={pageSizes.map(String)}
            value={String(display.pageSize)}
            onChange={(event) => onChange({ pageSize: Number(event.currentTarget.value) })}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

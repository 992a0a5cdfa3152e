import { Button, Group, VisuallyHidden } from '@mantine/core';
import { Icon } from './icons.tsx';

/** An active filter of a list: the parameter of the address, and its value for people. */
export interface FilterChip {
  readonly name: string;
  readonly label: string;
}

interface FilterChipsProps {
  chips: readonly FilterChip[];
  onRemove: (name: string) => void;
  onClear: () => void;
}

/** The active filters of a list, under its filter fields. Each has a button that removes it. */
export function FilterChips({ chips, onRemove, onClear }: FilterChipsProps) {
  if (chips.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label="Active filters" style={{ gridColumn: '1 / -1' }}>
      {chips.map(({ name, label }) => (
        <Button
          key={name}
          variant="light"
          size="compact-sm"
          rightSection={<Icon name="close" size={12} />}
          onClick={({ currentTarget }) => {
            onRemove(name);
            focusNext(currentTarget.parentElement);
          }}
        >
          <VisuallyHidden>Remove filter: </VisuallyHidden>
          {label}
        </Button>
      ))}
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        onClick={() => {
          onClear();
          focusNext(null);
        }}
      >
        Clear all
      </Button>
    </Group>
  );
}

/** Moves the focus from a removed chip to the next one, or to the search of the list. */
const focusNext = (chips: HTMLElement | null) =>
  requestAnimationFrame(() => {
    const next = chips?.isConnected === true ? chips.querySelector('button') : null;
    (next ?? document.querySelector<HTMLElement>('main [data-search], main search select'))?.focus();
  });

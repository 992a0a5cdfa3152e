import { ActionIcon, Menu } from '@mantine/core';
import { useRef } from 'react';
import { Icon, type IconName } from './icons.tsx';

export interface RowAction {
  readonly label: string;
  readonly icon: IconName;
  readonly onChoose: () => void;
}

/**
 * The actions of one row of a list, behind a three-dot button.
 *
 * @param label names the button for screen readers, e.g. “Actions for Ada King”.
 */
export function RowMenu({ label, actions }: { label: string; actions: readonly RowAction[] }) {
  const button = useRef<HTMLButtonElement>(null);
  // The menu item disappears with its menu, so a dialog that it opens must return the focus to the button.
  const choose = (act: () => void) => {
    button.current?.focus();
    act();
  };
  return (
    <Menu width={220} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon ref={button} aria-label={label}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label: name, icon, onChoose }) => (
          <Menu.Item key={name} leftSection={<Icon name={icon} size={16} />} onClick={() => choose(onChoose)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

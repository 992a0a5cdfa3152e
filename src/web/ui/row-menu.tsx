import { ActionIcon, Menu } from '@mantine/core';
import { Icon, type IconName } from './icons.tsx';
import styles from './row-menu.module.css';

export interface RowAction {
  readonly label: string;
  readonly icon: IconName;
  readonly onChoose: () => void;
}

/**
 * The actions of one row of a list, behind three dots.
 *
 * @param label names the button for screen readers, e.g. “Actions for Ada King”.
 */
export function RowMenu({ label, actions }: { label: string; actions: readonly RowAction[] }) {
  return (
    <Menu width={220}>
      <Menu.Target>
        <ActionIcon className={styles.button ?? ''} variant="subtle" color="gray" aria-label={label}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label: name, icon, onChoose }) => (
          <Menu.Item key={name} leftSection={<Icon name={icon} size={16} />} onClick={onChoose}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

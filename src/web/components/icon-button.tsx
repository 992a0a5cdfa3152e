import { ActionIcon } from '@mantine/core';
import { Icon, type IconName } from './icons.tsx';

interface IconButtonProps {
  label: string;
  icon: IconName;
  size: number;
  isDisabled?: boolean;
  onPress: () => void;
}

/**
 * A button with only an icon.
 *
 * @param label names it for screen readers.
 * @param size of the icon, in pixels.
 */
export function IconButton({ label, icon, size, isDisabled = false, onPress }: IconButtonProps) {
  return (
    <ActionIcon size="sm" data-icon={icon} aria-label={label} disabled={isDisabled} onClick={onPress}>
      <Icon name={icon} size={size} />
    </ActionIcon>
  );
}
